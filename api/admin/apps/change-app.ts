// PATCH /admin/api/apps/{appUid}: renames an application.
import { recordAudit } from '../../../lib/store/audit-log.ts';
import { inTransaction } from '../../../lib/store/connect.ts';
import type { AdminHandler } from '../../http/router.ts';
import { noSuchApp } from './get-app.ts';
import { presentApp } from './present-app.ts';
import type { AppBody } from './present-app.ts';

/** Throws `not_found`. */
export const changeApp: AdminHandler<AppBody> = async (request, { store, clock }) => {
  const { appUid, body, caller } = request;
  const app = await inTransaction(store, async (session) => {
    const options = { session, returnDocument: 'after' } as const;
    const set = { $set: { name: body.name } };
    const changed = await store.apps.findOneAndUpdate({ _id: appUid }, set, options);
    if (changed === null) throw noSuchApp();
    const target = { kind: 'app', uid: appUid };
    const entry = { appUid, action: 'app.renamed', target, details: { name: body.name } };
    await recordAudit(store, entry, { caller, now: clock.now(), session });
    return changed;
  });
  return { status: 200, body: presentApp(app, 'owner') };
};
