// Why a call to the identity provider failed: facts for the log and a sentence for the person, both without tokens.
import * as oidc from 'openid-client';
import { errorCode } from '../../../lib/platform/error-code.ts';
import { AppError } from '../../../lib/platform/errors.ts';
import { httpLog } from '../../../lib/platform/logger.ts';

type ProviderStep = 'discovery' | 'authorization' | 'token' | 'userinfo';

interface FaultFacts {
  issuer: string;
  step: ProviderStep;
  /** Of the provider, of the library or of the connection. */
  code: string | null;
  status: number | null;
}

/** `response`: only this sign-in is invalid. */
type FaultKind = 'unavailable' | 'settings' | 'response';

export class ProviderFault extends Error {
  readonly facts: FaultFacts;
  readonly kind: FaultKind;

  constructor(step: 'discovery' | 'token' | 'userinfo', issuer: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    const isDenied = cause instanceof oidc.AuthorizationResponseError;
    const status = statusOf(cause);
    this.facts = { issuer, step: isDenied ? 'authorization' : step, code: codeOf(cause), status };
    this.kind = kindOf(this.facts, cause);
  }
}

/** Logs the fault and returns it as a problem, for the faults that concern every sign-in. */
export function reportFault({ facts, kind }: ProviderFault, requestId: string | null): AppError {
  httpLog.warn({ requestId, ...facts }, 'oidc.failed');
  const retry = kind === 'unavailable' ? { retryAfterSeconds: 10 } : {};
  return new AppError('unavailable', sentenceOf(facts, kind), retry);
}

function sentenceOf({ step, code, status }: FaultFacts, kind: FaultKind): string {
  const found = [status === null ? null : `status ${status}`, code].filter((text) => text !== null);
  const at = `${step}: ${found.join(', ') || 'no response'}`;
  const advice = `an operator should check ${settingsOf(step)}; the log has the reason (oidc.failed)`;
  if (kind === 'settings')
    return `the identity provider does not accept the settings (${at}); ${advice}`;
  const unavailable = `the identity provider is unavailable (${at})`;
  return step === 'discovery' ? `${unavailable}; if that continues, ${advice}` : unavailable;
}

function settingsOf(step: ProviderStep): string {
  return step === 'discovery'
    ? 'HERALD_OIDC_ISSUER'
    : 'HERALD_OIDC_CLIENT_ID and HERALD_OIDC_CLIENT_SECRET';
}

function kindOf({ step, code, status }: FaultFacts, cause: unknown): FaultKind {
  const isBusy = status !== null && (status >= 500 || status === 429);
  const isCut = code === 'OAUTH_TIMEOUT' || cause instanceof TypeError;
  if (isBusy || isCut) return 'unavailable';
  if (step === 'discovery') return 'settings';
  // A page of a gateway in front of it.
  if (code === 'OAUTH_RESPONSE_IS_NOT_JSON') return 'unavailable';
  const isRefusedClient = code === 'invalid_client' || code === 'unauthorized_client';
  return step === 'token' && (status === 401 || isRefusedClient) ? 'settings' : 'response';
}

// An error code of OAuth is text from the provider or from the caller's URL.
function codeOf(error: unknown): string | null {
  const isFromOutside =
    error instanceof oidc.ResponseBodyError || error instanceof oidc.AuthorizationResponseError;
  if (isFromOutside) return /^[\w.-]{1,64}$/.test(error.error) ? error.error : null;
  const code = errorCode(error) ?? (error instanceof Error ? errorCode(error.cause) : null);
  return code === null ? null : String(code);
}

function statusOf(error: unknown): number | null {
  const hasStatus =
    error instanceof oidc.ResponseBodyError || error instanceof oidc.WWWAuthenticateChallengeError;
  if (hasStatus) return error.status;
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Response ? cause.status : null;
}
