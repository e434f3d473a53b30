// GET /admin/api/oidc/callback: where the identity provider sends the browser back to.
import { canonicalEmail } from '../../../lib/canonical-email.ts';
import { AppError } from '../../../lib/errors.ts';
import { httpLog } from '../../../lib/logger.ts';
import { recordAudit } from '../../../lib/store/audit-log.ts';
import type { ApiContext } from '../../context.ts';
import type { ApiRequest, Handler } from '../../http/router.ts';
import { cookieValues, oidcCookie, setCookie } from '../cookies.ts';
import { openSession } from '../session/open-session.ts';
import { openTransaction, requireProvider } from './begin-oidc.ts';

export const callbackPath = '/admin/api/oidc/callback';
const pagesPath = '/admin';

/**
 * Opens the session of the admin whose verified e-mail the provider vouches for, and sends the
 * browser on. It makes no admins. Throws `not_found`, `sign_in_refused`, `unavailable`.
 */
export const finishOidc: Handler = async (request, context) => {
  const email = await readVerifiedEmail(request, context);
  const admin = await context.store.admins.findOne({ email });
  const { caller } = request;
  const answer = admin && (await openSession(context, { admin, caller, method: 'oidc' }));
  if (!answer) throw await refuse(request, context, { email, reason: 'no admin has this e-mail' });
  const { publicUrl } = context.config.http;
  const cookies = [answer.headers?.['set-cookie'] ?? '', setCookie(publicUrl, oidcCookie, null)];
  const location = publicUrl + pagesPath;
  return { status: 303, headers: { location, 'set-cookie': cookies.flat() } };
};

async function readVerifiedEmail(request: ApiRequest, context: ApiContext): Promise<string> {
  const provider = requireProvider(context);
  const { publicUrl } = context.config.http;
  const [cookie = '', ...more] = cookieValues(publicUrl, oidcCookie, request.rawHeaders);
  const transaction = more.length === 0 ? openTransaction(context, cookie) : null;
  if (transaction === null) {
    throw await refuse(request, context, { reason: 'it was begun elsewhere or too long ago' });
  }
  const callbackUrl = new URL(`${publicUrl}${callbackPath}?${request.query.toString()}`);
  try {
    const claims = await provider.finish(callbackUrl, transaction);
    const email = typeof claims['email'] === 'string' ? canonicalEmail(claims['email']) : null;
    if (email !== null && claims['email_verified'] === true) return email;
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The library's message says which check failed; its cause may hold tokens and stays out.
    const reason = error instanceof Error ? error.message : String(error);
    throw await refuse(request, context, { reason });
  }
  throw await refuse(request, context, { reason: 'the provider gave no verified e-mail' });
}

/**
 * Gives the error, which tells the caller nothing of the reason; the log does. A row of the audit log
 * is for someone whom the provider vouched for: the other failures anyone can make, in any number.
 */
async function refuse(
  { caller }: ApiRequest,
  { store, clock }: ApiContext,
  { email, reason }: { email?: string; reason: string },
): Promise<AppError> {
  httpLog.warn({ requestId: caller.requestId, reason }, 'oidc.refused');
  if (email !== undefined) {
    const target = { kind: 'admin', uid: 'unknown' };
    const details = { method: 'oidc', email };
    const entry = { appUid: null, action: 'admin.sign_in_failed', target, details };
    await recordAudit(store, entry, { caller, now: clock.now() });
  }
  return new AppError('sign_in_refused', 'the sign-in through the identity provider failed', {
    headers: { 'www-authenticate': 'Session realm="agent-herald"' },
  });
}
