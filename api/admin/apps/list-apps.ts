import { readPage } from '../../../lib/mongo/paging.ts';
import { listHandler } from '../../http/list-handler.ts';
import type { AdminRequest } from '../../route.ts';
import { appSchema, presentApp } from './present-app.ts';
import { operation, type Operation, pageOf } from '../../http/operation.ts';

const facts: Operation = {
  id: 'listApps',
  summary: 'List applications',
  description: 'The list has the applications in which the caller has a role.',
  answers: { 200: pageOf(appSchema) },
};

export const listApps = operation(
  facts,
  listHandler<{}, AdminRequest>({}, async (request, { store }) => {
    const { admin } = request.signedIn;
    if (admin.superuser) {
      const { items, lastUid } = await readPage(store.apps, {}, request.page);
      return { data: items.map((app) => presentApp(app, 'owner')), lastUid };
    }
    const mine = { adminUid: admin._id };
    const { items, lastUid } = await readPage(store.memberships, mine, request.page);
    const appUids = items.map((membership) => membership.appUid);
    const apps = await store.apps.find({ _id: { $in: appUids } }).toArray();
    const byUid = new Map(apps.map((app) => [app._id, app]));
    const data = items.flatMap(({ appUid, role }) => {
      const app = byUid.get(appUid);
      return app === undefined ? [] : [presentApp(app, role)];
    });
    return { data, lastUid };
  }),
);
