// GET /admin/api/oidc/callback: where the identity provider sends the browser back to.
import { canonicalEmail } from '../../../lib/access/canonical-email.ts';
import { AppError } from '../../../lib/platform/errors.ts';
import { httpLog } from '../../../lib/platform/logger.ts';
import type { ProviderIdentity } from '../../../lib/model/admin.ts';
import { networkOf } from '../../../lib/egress/network-of.ts';
import { recordSignInFailure, type SignInFailure } from '../../../lib/access/sign-in-failures.ts';
import type { ApiContext } from '../../context.ts';
import type { ApiAnswer, ApiRequest, Handler } from '../../router.ts';
import { oidcCookie, setCookie } from '../../access/cookies.ts';
import { openCookie } from '../../access/sealed-cookie.ts';
import { spend } from '../../access/rate-limits.ts';
import { openSession } from '../session/open-session.ts';
import { type BegunSignIn, requireProvider } from './begin-oidc.ts';
import { callbackPath } from './callback-path.ts';

const pagesPath = '/admin';

/** Somebody whom the provider vouches for. */
interface VouchedUser {
  identity: ProviderIdentity;
  /** Verified by the provider, and in its canonical form. */
  email: string;
  /** The sessions that the browser had when it set out. */
  sessionIds: readonly string[];
}

/**
 * Opens the session of the admin who is linked to the identity that the provider vouches for, and
 * sends the browser on. An admin who is linked to none yet is found by the verified e-mail, and is
 * linked from then on. It makes no admins. Throws `not_found`, `sign_in_refused`, `rate_limited`,
 * `unavailable`.
 */
export const finishOidc: Handler = async (request, context) => {
  const { identity, email, sessionIds } = await readUser(request, context);
  const { admins } = context.store;
  const linked = await admins.findOne({ identity });
  const admin = linked ?? (await admins.findOne({ email }));
  // The e-mail was given to another person, or the person has another identity now: not ours to tell.
  const isAnothers = linked === null && admin?.identity !== undefined;
  if (admin !== null && !isAnothers) {
    const changes = linked === null ? { identity } : {};
    const { caller } = request;
    const opening = { admin, caller, method: 'oidc', endedIds: sessionIds, changes } as const;
    const answer = await openSession(context, opening);
    if (answer !== null) return sendOn(context, answer);
  }
  const known = isAnothers
    ? 'the admin is linked to another identity'
    : 'the admin or the link just changed';
  const reason = admin === null ? 'no admin has this e-mail' : known;
  throw await refuse(request, context, {
    reason,
    vouched: { adminUid: admin?._id ?? null, email },
  });
};

function sendOn({ config }: ApiContext, { headers }: ApiAnswer): ApiAnswer {
  const { publicUrl } = config.http;
  const cookies = [headers?.['set-cookie'] ?? '', setCookie(publicUrl, oidcCookie, null)];
  return {
    status: 303,
    headers: { location: publicUrl + pagesPath, 'set-cookie': cookies.flat() },
  };
}

async function readUser(request: ApiRequest, context: ApiContext): Promise<VouchedUser> {
  const provider = requireProvider(context);
  const { publicUrl } = context.config.http;
  const begun = openCookie(context, oidcCookie, request.rawHeaders) as BegunSignIn | null;
  if (begun === null) {
    throw await refuse(request, context, { reason: 'it was begun elsewhere or too long ago' });
  }
  // An answer can be made up as often as one likes, and each is asked about at the provider.
  spend(context.rateLimits.oidc, networkOf(request.caller.address));
  const callbackUrl = new URL(`${publicUrl}${callbackPath}?${request.query.toString()}`);
  try {
    const { identity, claims } = await provider.finish(callbackUrl, begun.transaction);
    const email = typeof claims['email'] === 'string' ? canonicalEmail(claims['email']) : null;
    if (email !== null && claims['email_verified'] === true) {
      return { identity, email, sessionIds: begun.sessionIds };
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The library's message says which check failed; its cause may hold tokens and stays out.
    const reason = error instanceof Error ? error.message : String(error);
    throw await refuse(request, context, { reason });
  }
  throw await refuse(request, context, { reason: 'the provider gave no verified e-mail' });
}

/**
 * Gives the error, which tells the caller nothing of the reason; the log does. The audit log is for
 * someone whom the provider vouched for: the other failures say nothing of who made them.
 */
async function refuse(
  { caller }: ApiRequest,
  { store, clock }: ApiContext,
  { reason, vouched }: { reason: string; vouched?: Pick<SignInFailure, 'adminUid' | 'email'> },
): Promise<AppError> {
  httpLog.warn({ requestId: caller.requestId, reason }, 'oidc.refused');
  if (vouched !== undefined) {
    const failure = { ...vouched, method: 'oidc', reason } as const;
    await recordSignInFailure(store, failure, { caller, now: clock.now() });
  }
  return new AppError('sign_in_refused', 'the sign-in through the identity provider failed');
}
