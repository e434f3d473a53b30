// DELETE /admin/api/session, …/sessions, …/sessions/{sessionUid}: ends this session, all, or one.
import { recordAudit } from '../../../lib/access/audit-log.ts';
import { AppError } from '../../../lib/platform/errors.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import type { ApiContext } from '../../context.ts';
import type { AdminHandler, AdminRequest, ApiAnswer } from '../../route.ts';
import { notSignedIn } from '../../access/admit-admin.ts';
import { type Cookie, deviceCookie, sessionCookie, setCookie } from '../../access/cookies.ts';
import { operation, type Operation } from '../../http/operation.ts';

const factsOfSignOut: Operation = {
  id: 'signOut',
  summary: 'Sign out',
  answers: { 204: { description: 'Done', headers: ['set-cookie'] } },
};

export const signOut: AdminHandler = operation(factsOfSignOut, (request, context) =>
  endSessions(context, request, {
    ended: { _id: request.signedIn.session._id, adminUid: request.signedIn.admin._id },
    action: 'admin.signed_out',
    forgotten: [sessionCookie],
  }),
);

const factsOfSignOutEverywhere: Operation = {
  id: 'signOutEverywhere',
  summary: 'Sign out of all sessions',
  answers: { 204: { description: 'Done', headers: ['set-cookie'] } },
};

/** Also forgets the known devices. */
export const signOutEverywhere: AdminHandler = operation(
  factsOfSignOutEverywhere,
  (request, context) =>
    endSessions(context, request, {
      ended: { adminUid: request.signedIn.admin._id },
      action: 'admin.signed_out_everywhere',
      forgotten: [sessionCookie, deviceCookie],
    }),
);

const factsOfEndSession: Operation = {
  id: 'endSession',
  summary: 'End a session',
  answers: {
    204: {
      description:
        'The session has ended. If it was the current session, `set-cookie` deletes its cookie',
    },
  },
};

export const endSession: AdminHandler = operation(factsOfEndSession, async (request, context) => {
  const { params, signedIn } = request;
  const _id = params['sessionUid'] ?? '';
  const ended = { _id, adminUid: signedIn.admin._id };
  return endSessions(context, request, {
    ended,
    action: 'admin.session_ended',
    forgotten: _id === signedIn.session._id ? [sessionCookie] : [],
    noneLeft: () => new AppError('not_found', 'there is no such session'),
  });
});

interface Ending {
  ended: { _id?: string; adminUid: string };
  action: string;
  forgotten: readonly Cookie[];
  /** Returns the error if there is no session to end; `not_signed_in` by default. */
  noneLeft?: () => AppError;
}

async function endSessions(
  { store, clock, config }: ApiContext,
  { signedIn, caller }: AdminRequest,
  { ended, action, forgotten, noneLeft = notSignedIn }: Ending,
): Promise<ApiAnswer> {
  const { _id } = signedIn.admin;
  const target = { kind: 'admin', uid: _id };
  await inTransaction(store, async (session) => {
    const { deletedCount } = await store.adminSessions.deleteMany(ended, { session });
    if (deletedCount === 0) throw noneLeft();
    if (forgotten.includes(deviceCookie)) {
      await store.admins.updateOne({ _id }, { $inc: { deviceEpoch: 1 } }, { session });
    }
    const now = clock.now();
    const details = ended._id === undefined ? {} : { sessionUid: ended._id };
    await recordAudit(store, { appUid: null, action, target, details }, { caller, now, session });
  });
  const cookies = forgotten.map((cookie) => setCookie(config.http.publicUrl, cookie, null));
  return { status: 204, ...(cookies.length > 0 ? { headers: { 'set-cookie': cookies } } : {}) };
}
