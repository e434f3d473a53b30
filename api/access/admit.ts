// Who may call a route: anyone, the holder of an API key with a scope, or an admin.
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

/** What a route asks of its caller. */
export type Access =
  | { kind: 'open' }
  | { kind: 'key'; scope: Scope }
  | { kind: 'admin'; needs: AdminNeed }
  /** Nobody is signed in yet, but the request must not come from another site's page. */
  | { kind: 'own_pages' };

/** A caller who is known. */
export interface Admitted {
  actor: Actor;
  /** What the request's log line says of the caller. */
  logged: Record<string, string>;
  /** What its answer says of the caller's limit. */
  headers: Record<string, string>;
  /** Set where the route asks for an admin. */
  signedIn: SignedIn | null;
  /** Why the holder of a valid key may not make this call. The call counts and is logged as theirs all the same. */
  refusal: AppError | null;
}

const nobody: Admitted = {
  actor: { kind: 'anonymous', uid: null },
  logged: {},
  headers: {},
  signedIn: null,
  refusal: null,
};

// A key, or a session, that is none.
const refusals: ReadonlySet<ErrorCode> = new Set(['unauthenticated', 'not_signed_in']);

/** A request that asks to be let in. */
export interface Applicant {
  request: IncomingMessage;
  appUid: string;
  address: string | null;
}

/**
 * Finds out who calls, or throws the error that tells why not. Whoever sends refused credentials too often
 * gets `rate_limited` instead of that answer; a valid credential from the same address passes all
 * the same, so that nobody can lock his neighbours out.
 */
export async function admit(
  context: ApiContext,
  access: Access,
  applicant: Applicant,
): Promise<Admitted> {
  try {
    return await recognise(context, access, applicant);
  } catch (error) {
    if (error instanceof AppError && refusals.has(error.code)) {
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
      actor: { kind: 'api_key', uid: key._id },
      logged: { keyId: key.keyId },
      headers: spend(context.rateLimits.key, key._id),
      signedIn: null,
      refusal: refusalOf(key, { appUid, scope: access.scope }),
    };
  }
  const signedIn = await admitAdmin(context, request, { appUid, needs: access.needs });
  const uid = signedIn.admin._id;
  return {
    actor: { kind: 'admin', uid },
    logged: { adminUid: uid },
    headers: {},
    signedIn,
    refusal: null,
  };
}
