// GET /admin/api/apps: the applications that the admin may see.
import type { Role } from '../../../lib/store/admins.ts';
import type { AppDocument } from '../../../lib/store/apps.ts';
import { readPage } from '../../../lib/store/paging.ts';
import { cursorAfter, readPageQuery } from '../../http/page-query.ts';
import type { AdminHandler } from '../../http/router.ts';
import { presentApp } from './present-app.ts';

/** Gives a page: for a superuser all of them, the newest first; for others their own, the latest joined first. */
export const listApps: AdminHandler = async ({ signedIn, query }, { store }) => {
  const { admin } = signedIn;
  const request = readPageQuery(query);
  if (admin.superuser) {
    const page = await readPage(store.apps, {}, request);
    const data = page.items.map((app) => presentApp(app, 'owner'));
    return { status: 200, body: { data, nextCursor: cursorAfter(page.lastUid) } };
  }
  const page = await readPage(store.memberships, { adminUid: admin._id }, request);
  const appUids = page.items.map((membership) => membership.appUid);
  const apps = await store.apps.find({ _id: { $in: appUids } }).toArray();
  const byUid = new Map(apps.map((app): [string, AppDocument] => [app._id, app]));
  const data = page.items.flatMap(({ appUid, role }: { appUid: string; role: Role }) => {
    const app = byUid.get(appUid);
    return app === undefined ? [] : [presentApp(app, role)];
  });
  return { status: 200, body: { data, nextCursor: cursorAfter(page.lastUid) } };
};
