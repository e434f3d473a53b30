// DELETE /admin/api/session, DELETE /admin/api/sessions: ends this session, or all of the admin's.
import { recordAudit } from '../../../lib/access/audit-log.ts';
import { inTransaction } from '../../../lib/mongo/connect.ts';
import type { ApiContext } from '../../context.ts';
import type { AdminHandler, AdminRequest, ApiAnswer } from '../../router.ts';
import { type Cookie, deviceCookie, sessionCookie, setCookie } from '../../access/cookies.ts';
import { operation, type Operation } from '../../http/operation.ts';

const factsOfSignOut: Operation = {
  id: 'signOut',
  summary: 'Ends this session',
  answers: { 204: { description: 'Done', headers: ['set-cookie'] } },
};

export const signOut: AdminHandler = operation(factsOfSignOut, (request, context) =>
  endSessions(context, request, {
    ended: { _id: request.signedIn.session._id },
    action: 'admin.signed_out',
    forgotten: [sessionCookie],
  }),
);

const factsOfSignOutEverywhere: Operation = {
  id: 'signOutEverywhere',
  summary: 'Ends all sessions of the caller',
  answers: { 204: { description: 'Done', headers: ['set-cookie'] } },
};

/** Forgets the known devices, too. */
export const signOutEverywhere: AdminHandler = operation(
  factsOfSignOutEverywhere,
  (request, context) =>
    endSessions(context, request, {
      ended: { adminUid: request.signedIn.admin._id },
      action: 'admin.signed_out_everywhere',
      forgotten: [sessionCookie, deviceCookie],
    }),
);

interface Ending {
  ended: { _id: string } | { adminUid: string };
  action: string;
  forgotten: readonly Cookie[];
}

async function endSessions(
  { store, clock, config }: ApiContext,
  { signedIn, caller }: AdminRequest,
  { ended, action, forgotten }: Ending,
): Promise<ApiAnswer> {
  const { _id } = signedIn.admin;
  const target = { kind: 'admin', uid: _id };
  await inTransaction(store, async (session) => {
    await store.adminSessions.deleteMany(ended, { session });
    if (forgotten.includes(deviceCookie)) {
      await store.admins.updateOne({ _id }, { $inc: { deviceEpoch: 1 } }, { session });
    }
    const now = clock.now();
    await recordAudit(store, { appUid: null, action, target }, { caller, now, session });
  });
  const cookies = forgotten.map((cookie) => setCookie(config.http.publicUrl, cookie, null));
  return { status: 204, headers: { 'set-cookie': cookies } };
}
