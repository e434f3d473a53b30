// DELETE /admin/api/session, DELETE /admin/api/sessions: ends this session, or all of the admin's.
import { recordAudit } from '../../../lib/store/audit-log.ts';
import { inTransaction } from '../../../lib/store/connect.ts';
import type { ApiContext } from '../../context.ts';
import type { AdminHandler, AdminRequest, ApiAnswer } from '../../http/router.ts';
import { sessionCookie, setCookie } from '../cookies.ts';

/** Ends the session that asks. */
export const signOut: AdminHandler = (request, context) =>
  endSessions(context, request, {
    ended: { _id: request.signedIn.session._id },
    action: 'admin.signed_out',
  });

/** Ends every session of the admin, this one too. */
export const signOutEverywhere: AdminHandler = (request, context) =>
  endSessions(context, request, {
    ended: { adminUid: request.signedIn.admin._id },
    action: 'admin.signed_out_everywhere',
  });

async function endSessions(
  { store, clock, config }: ApiContext,
  { signedIn, caller }: AdminRequest,
  { ended, action }: { ended: { _id: string } | { adminUid: string }; action: string },
): Promise<ApiAnswer> {
  const target = { kind: 'admin', uid: signedIn.admin._id };
  await inTransaction(store, async (session) => {
    await store.adminSessions.deleteMany(ended, { session });
    const now = clock.now();
    await recordAudit(store, { appUid: null, action, target }, { caller, now, session });
  });
  const cookie = setCookie(config.http.publicUrl, sessionCookie, null);
  return { status: 204, headers: { 'set-cookie': cookie } };
}
