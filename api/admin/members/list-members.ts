// GET /admin/api/apps/{appUid}/members: who may do what in an application.
import { readPage } from '../../../lib/mongo/paging.ts';
import { listHandler } from '../../http/list-handler.ts';
import { presentMember } from './member.ts';

/** Gives a page of members, the latest first. Superusers are owners without being members. */
export const listMembers = listHandler({}, async ({ appUid, page }, { store }) => {
  const { items, lastUid } = await readPage(store.memberships, { appUid }, page);
  const uids = items.map((member) => member.adminUid);
  const admins = await store.admins
    .find({ _id: { $in: uids } }, { projection: { email: 1 } })
    .toArray();
  const data = items.map((member) =>
    presentMember(
      member,
      admins.find((admin) => admin._id === member.adminUid),
    ),
  );
  return { data, lastUid };
});
