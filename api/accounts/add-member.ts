import type { ClientSession } from 'mongodb';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import { lockAccounts } from '../../lib/identity/accounts.ts';
import { additions, addToAccounts } from '../../lib/identity/users.ts';
import type { Handler } from '../route.ts';
import { noSuchUser } from '../users/user.ts';
import { noSuchAccount } from './account.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'addAccountMember',
  summary: 'Add a user to an account',
  answers: { 204: { description: 'Done' } },
  problems: ['limit_reached'],
};

/** Idempotent. Throws `overloaded` if too many wait, `not_found`, or `limit_reached` at 100 accounts per user. */
export const addMember: Handler = operation(facts, async ({ appUid, params, caller }, context) => {
  const { store } = context;
  const { accountUid = '', userUid = '' } = params;
  const now = context.clock.now();
  const add = async (session: ClientSession): Promise<void> => {
    const named = await lockAccounts(store, { appUid, accountUids: [accountUid] }, session);
    if (named === 0) throw noSuchAccount();
    const addition = { accountUids: [accountUid], caller, now, session };
    const user = await addToAccounts(store, { _id: userUid, appUid }, addition);
    if (user === null) throw noSuchUser();
  };
  await additions.run({ group: appUid, member: accountUid }, () => inTransaction(store, add));
  return { status: 204 };
});
