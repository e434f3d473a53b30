// GET /admin/api/apps/{appUid}/members: who may do what in an application.
import { readPage } from '../../../lib/store/paging.ts';
import { cursorAfter, readPageQuery } from '../../http/page-query.ts';
import type { AdminHandler } from '../../http/router.ts';
import { presentMember } from './member.ts';

/** Gives a page of members, the latest first. Superusers are owners without being members. */
export const listMembers: AdminHandler = async ({ appUid, query }, { store }) => {
  const page = await readPage(store.memberships, { appUid }, readPageQuery(query));
  const uids = page.items.map((member) => member.adminUid);
  const admins = await store.admins
    .find({ _id: { $in: uids } }, { projection: { email: 1 } })
    .toArray();
  const data = page.items.map((member) =>
    presentMember(
      member,
      admins.find((admin) => admin._id === member.adminUid),
    ),
  );
  return { status: 200, body: { data, nextCursor: cursorAfter(page.lastUid) } };
};
