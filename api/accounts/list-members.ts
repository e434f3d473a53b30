import { readPage } from '../../lib/mongo/paging.ts';
import { listHandler } from '../http/list-handler.ts';
import { presentUser, userSchema } from '../users/user.ts';
import { noSuchAccount } from './account.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

const facts: Operation = {
  id: 'listAccountMembers',
  summary: 'List the users in an account',
  description: 'The list is ordered from newest to oldest.',
  answers: { 200: pageOf(userSchema) },
};

export const listMembers = operation(
  facts,
  listHandler({}, async ({ appUid, params, page }, context) => {
    const { accounts, users } = context.store;
    const accountUid = params['accountUid'] ?? '';
    if ((await accounts.findOne({ _id: accountUid, appUid })) === null) throw noSuchAccount();
    const filter = { appUid, accountUids: accountUid };
    const { items, lastUid } = await readPage(users, filter, { ...page, hint: 'members' });
    return { data: items.map(presentUser), lastUid };
  }),
);
