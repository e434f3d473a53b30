import { canonicalEmail } from '../../../lib/access/canonical-email.ts';
import { AppError } from '../../../lib/platform/errors.ts';
import { httpLog } from '../../../lib/platform/logger.ts';
import type { ProviderIdentity } from '../../../lib/model/admin.ts';
import { networkOf } from '../../../lib/egress/network-of.ts';
import { recordSignInFailure, type SignInFailure } from '../../../lib/access/sign-in-failures.ts';
import type { ApiContext } from '../../context.ts';
import type { ApiAnswer, ApiRequest, Handler } from '../../route.ts';
import { oidcCookie, setCookie } from '../../access/cookies.ts';
import { openCookie } from '../../access/sealed-cookie.ts';
import { spend } from '../../access/rate-limits.ts';
import { openSession } from '../session/open-session.ts';
import { type BegunSignIn, requireProvider } from './begin-oidc.ts';
import { callbackPath } from './identity-provider.ts';
import { ProviderFault, reportFault } from './provider-fault.ts';
import { operation, type Operation } from '../../http/operation.ts';

const consolePath = '/console';
const refusedPath = `${consolePath}/sign-in?refused=1`;

interface VouchedUser {
  identity: ProviderIdentity;
  /** Verified, in canonical form. */
  email: string;
  sessionHashes: readonly string[];
}

const facts: Operation = {
  id: 'finishOidc',
  summary: 'Finish a sign-in through the identity provider',
  description: 'The identity provider redirects the browser here.',
  answers: {
    303: {
      description: 'A redirect to the console, or to its sign-in page if the sign-in was refused',
      headers: ['location', 'set-cookie'],
    },
  },
  problems: ['not_found', 'rate_limited'],
};

/** A person whose sign-in is rejected gets a page. Too many visits or an outage result in a problem. */
export const finishOidc: Handler = operation(facts, async (request, context) => {
  try {
    return await signInByIdentity(request, context);
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === 'sign_in_refused';
    if (!isRefused) throw error;
    return sendOn(context, refusedPath, []);
  }
});

/** An admin without a linked identity is found by the verified email, and linked. No admins are created. */
async function signInByIdentity(request: ApiRequest, context: ApiContext): Promise<ApiAnswer> {
  const { identity, email, sessionHashes } = await readUser(request, context);
  const { admins } = context.store;
  const linked = await admins.findOne({ identity });
  const admin = linked ?? (await admins.findOne({ email }));
  // The email has passed to another person, or the person has another identity: treated as unknown.
  const isAnothers = linked === null && admin?.identity !== undefined;
  if (admin !== null && !isAnothers) {
    const changes = linked === null ? { identity } : {};
    const { caller, rawHeaders } = request;
    const visit = { caller, rawHeaders, endedHashes: sessionHashes };
    const opening = { ...visit, admin, method: 'oidc', changes } as const;
    const answer = await openSession(context, opening);
    if (answer !== null) {
      return sendOn(context, consolePath, [answer.headers?.['set-cookie'] ?? []].flat());
    }
  }
  const known = isAnothers
    ? 'the admin is linked to another identity'
    : 'the admin or the link just changed';
  const reason = admin === null ? 'no admin has this email' : known;
  throw await refuse(request, context, {
    reason,
    vouched: { adminUid: admin?._id ?? null, email },
  });
}

/** The sign-in transaction is over, whatever its outcome. */
function sendOn({ config }: ApiContext, path: string, cookies: readonly string[]): ApiAnswer {
  const { publicUrl } = config.http;
  const over = setCookie(publicUrl, oidcCookie, null);
  return {
    status: 303,
    headers: { location: publicUrl + path, 'set-cookie': [...cookies, over] },
  };
}

async function readUser(request: ApiRequest, context: ApiContext): Promise<VouchedUser> {
  const provider = requireProvider(context);
  const { publicUrl } = context.config.http;
  const begun = openCookie(context, oidcCookie, request.rawHeaders) as BegunSignIn | null;
  if (begun === null) {
    throw await refuse(request, context, {
      reason: 'it was started in another browser or too long ago',
    });
  }
  // A forged callback also costs a request to the provider.
  spend(context.rateLimits.oidc, networkOf(request.caller.address));
  const callbackUrl = new URL(`${publicUrl}${callbackPath}?${request.query.toString()}`);
  const { identity, claims } = await provider
    .finish(callbackUrl, begun.transaction)
    .catch(async (error: unknown) => {
      if (!(error instanceof ProviderFault)) throw error;
      if (error.kind !== 'response') throw reportFault(error, request.caller.requestId);
      // The cause is not logged, because it may contain tokens.
      throw await refuse(request, context, { reason: error.message, facts: error.facts });
    });
  const read = readEmail(claims);
  if ('reason' in read) throw await refuse(request, context, read);
  return { identity, ...read, sessionHashes: begun.sessionHashes };
}

/** Some providers send `email_verified` as a text (Amazon Cognito). Without it, anyone may have set the address. */
function readEmail({
  email: given,
  email_verified: verified,
}: Readonly<Record<string, unknown>>): { email: string } | { reason: string } {
  const email = typeof given === 'string' ? canonicalEmail(given) : null;
  if (email === null) return { reason: 'the provider returned no valid email' };
  if (verified === true || verified === 'true') return { email };
  return verified === undefined
    ? { reason: 'the provider returned no email_verified' }
    : { reason: 'the provider has not verified the email' };
}

interface Refusal {
  reason: string;
  facts?: Partial<ProviderFault['facts']>;
  vouched?: Pick<SignInFailure, 'adminUid' | 'email'>;
}

/** The caller never sees the reason. The audit log records only users whom the provider has verified. */
async function refuse(
  { caller }: ApiRequest,
  { store, clock }: ApiContext,
  { reason, facts = {}, vouched }: Refusal,
): Promise<AppError> {
  httpLog.warn({ requestId: caller.requestId, reason, ...facts }, 'oidc.refused');
  if (vouched !== undefined) {
    const failure = { ...vouched, method: 'oidc', reason } as const;
    await recordSignInFailure(store, failure, { caller, now: clock.now() });
  }
  return new AppError('sign_in_refused', 'the sign-in through the identity provider failed');
}
