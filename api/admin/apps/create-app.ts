import { lockAdmin, makeMembership } from '../../../lib/access/admins.ts';
import { makeApp } from '../../../lib/access/apps.ts';
import { recordAudit } from '../../../lib/access/audit-log.ts';
import { runOnce } from '../../../lib/mongo/idempotency.ts';
import type { AdminHandler } from '../../route.ts';
import { notSignedIn } from '../../access/admit-admin.ts';
import { type AppBody, appSchema, presentApp } from './present-app.ts';
import { operation, type Operation } from '../../http/operation.ts';

const facts: Operation = {
  id: 'createApp',
  summary: 'Create an application',
  description: 'The caller becomes its owner.',
  example: { name: 'Search' },
  answers: { 201: { description: 'The application', schema: appSchema } },
  takesIdempotencyKey: true,
};

export const createApp: AdminHandler<AppBody> = operation(facts, async (request, context) => {
  const { body, signedIn, caller, idempotencyKey } = request;
  const { store, secretBox, clock } = context;
  const now = clock.now();
  const app = makeApp(body.name, now);
  const appUid = app._id;
  const adminUid = signedIn.admin._id;
  const owner = makeMembership({ appUid, adminUid, role: 'owner' }, now);
  const once = { key: idempotencyKey(), secretBox, now };
  const { answer } = await runOnce(store, once, async (session) => {
    // The admin may have been removed in the meantime.
    if ((await lockAdmin(store, { _id: adminUid }, session)) === null) throw notSignedIn();
    await store.apps.insertOne(app, { session });
    await store.memberships.insertOne(owner, { session });
    const target = { kind: 'app', uid: appUid };
    const entry = { appUid, action: 'app.created', target, details: { name: app.name } };
    await recordAudit(store, entry, { caller, now, session });
    return presentApp(app, 'owner');
  });
  return { status: 201, body: answer, headers: { location: `/admin/api/apps/${answer.uid}` } };
});
