// GET /admin/api/apps: the applications that the admin may see.
import type { AppDocument } from '../../../lib/model/app.ts';
import type { Role } from '../../../lib/model/membership.ts';
import { readPage } from '../../../lib/mongo/paging.ts';
import { listHandler } from '../../http/list-handler.ts';
import type { AdminRequest } from '../../router.ts';
import { presentApp } from './present-app.ts';

/** Gives a page: for a superuser all of them, the newest first; for others their own, the latest joined first. */
export const listApps = listHandler<{}, AdminRequest>({}, async (request, { store }) => {
  const { admin } = request.signedIn;
  if (admin.superuser) {
    const { items, lastUid } = await readPage(store.apps, {}, request.page);
    return { data: items.map((app) => presentApp(app, 'owner')), lastUid };
  }
  const mine = { adminUid: admin._id };
  const { items, lastUid } = await readPage(store.memberships, mine, request.page);
  const appUids = items.map((membership) => membership.appUid);
  const apps = await store.apps.find({ _id: { $in: appUids } }).toArray();
  const byUid = new Map(apps.map((app): [string, AppDocument] => [app._id, app]));
  const data = items.flatMap(({ appUid, role }: { appUid: string; role: Role }) => {
    const app = byUid.get(appUid);
    return app === undefined ? [] : [presentApp(app, role)];
  });
  return { data, lastUid };
});
