import type { IncomingMessage } from 'node:http';
import { AppError, type ErrorCode } from '../../lib/platform/errors.ts';
import type { Scope } from '../../lib/model/api-key.ts';
import type { Actor } from '../../lib/model/audit-log.ts';
import { networkOf } from '../../lib/egress/network-of.ts';
import { type AdminNeed, admitAdmin, type SignedIn } from './admit-admin.ts';
import { checkOwnPages } from './own-pages.ts';
import type { ApiContext } from '../context.ts';
import { authenticate, refusalOf } from './authenticate.ts';
import { spend } from './rate-limits.ts';

export type Access =
  | { kind: 'open' }
  | { kind: 'key'; scope: Scope }
  | { kind: 'admin'; needs: AdminNeed }
  /** Anyone, but no pages of other sites. */
  | { kind: 'own_pages' };

interface Admitted {
  actor: Actor;
  logged: Record<string, string>;
  headers: Record<string, string>;
  signedIn: SignedIn | null;
  /** Why a valid key may not make this call. The call still counts as the key's, in limits and logs. */
  refusal: AppError | null;
}

const nobody: Admitted = {
  actor: { kind: 'anonymous', uid: null },
  logged: {},
  headers: {},
  signedIn: null,
  refusal: null,
};

const refusedCredentials: ReadonlySet<ErrorCode> = new Set(['unauthenticated', 'not_signed_in']);

interface Applicant {
  request: IncomingMessage;
  appUid: string;
  address: string | null;
}

/** Throws `rate_limited` after too many rejected credentials from an address. Valid ones always pass: no lock-out. */
export async function admit(
  context: ApiContext,
  access: Access,
  applicant: Applicant,
): Promise<Admitted> {
  try {
    return await recognise(context, access, applicant);
  } catch (error) {
    if (error instanceof AppError && refusedCredentials.has(error.code)) {
      spend(context.rateLimits.failure, networkOf(applicant.address));
    }
    throw error;
  }
}

async function recognise(
  context: ApiContext,
  access: Access,
  { request, appUid }: Applicant,
): Promise<Admitted> {
  if (access.kind === 'open') return nobody;
  if (access.kind === 'own_pages') {
    checkOwnPages(context.config.http.publicUrl, request);
    return nobody;
  }
  if (access.kind === 'key') {
    const key = await authenticate(context, request.rawHeaders);
    return {
      ...nobody,
      actor: { kind: 'api_key', uid: key._id },
      logged: { keyId: key.keyId },
      headers: spend(context.rateLimits.key, key._id),
      refusal: refusalOf(key, { appUid, scope: access.scope }),
    };
  }
  const wanted = { appUid, needs: access.needs };
  const { signedIn, headers } = await admitAdmin(context, request, wanted);
  const uid = signedIn.admin._id;
  return { ...nobody, actor: { kind: 'admin', uid }, logged: { adminUid: uid }, headers, signedIn };
}
