import { readPage } from '../../../lib/mongo/paging.ts';
import { listHandler } from '../../http/list-handler.ts';
import { memberSchema, presentMember } from './member.ts';
import { operation, type Operation, pageOf } from '../../http/operation.ts';

const facts: Operation = {
  id: 'listMembers',
  summary: 'List the members of an application',
  description: 'The list is ordered from the latest member to the earliest.',
  answers: { 200: pageOf(memberSchema) },
};

export const listMembers = operation(
  facts,
  listHandler({}, async ({ appUid, page }, { store }) => {
    const { items, lastUid } = await readPage(store.memberships, { appUid }, page);
    const uids = items.map((member) => member.adminUid);
    const projection = { email: 1 };
    const admins = await store.admins.find({ _id: { $in: uids } }, { projection }).toArray();
    const byUid = new Map(admins.map((admin) => [admin._id, admin]));
    return { data: items.map((item) => presentMember(item, byUid.get(item.adminUid))), lastUid };
  }),
);
