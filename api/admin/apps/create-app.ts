// POST /admin/api/apps: makes an application, with the admin who asks as its owner.
import { holdAdmin, makeMembership } from '../../../lib/access/admins.ts';
import { makeApp } from '../../../lib/access/apps.ts';
import { recordAudit } from '../../../lib/access/audit-log.ts';
import { runOnce } from '../../../lib/mongo/idempotency.ts';
import type { AdminHandler } from '../../router.ts';
import { notSignedIn } from '../../access/admit-admin.ts';
import { type AppBody, presentApp } from './present-app.ts';

/** Throws `not_signed_in` for an admin who is removed meanwhile. */
export const createApp: AdminHandler<AppBody> = async (request, context) => {
  const { body, signedIn, caller, idempotencyKey } = request;
  const { store, secretBox, clock } = context;
  const now = clock.now();
  const app = makeApp(body.name, now);
  const appUid = app._id;
  const adminUid = signedIn.admin._id;
  const owner = makeMembership({ appUid, adminUid, role: 'owner' }, now);
  const once = { key: idempotencyKey(), secretBox, now };
  const { answer } = await runOnce(store, once, async (session) => {
    if ((await holdAdmin(store, { _id: adminUid }, session)) === null) throw notSignedIn();
    await store.apps.insertOne(app, { session });
    await store.memberships.insertOne(owner, { session });
    const target = { kind: 'app', uid: appUid };
    const entry = { appUid, action: 'app.created', target, details: { name: app.name } };
    await recordAudit(store, entry, { caller, now, session });
    return presentApp(app, 'owner');
  });
  return { status: 201, body: answer, headers: { location: `/admin/api/apps/${answer.uid}` } };
};
