// GET …/accounts/{accountUid}: one account.
import type { Handler } from '../router.ts';
import { noSuchAccount, presentAccount } from './account.ts';

export const getAccount: Handler = async ({ appUid, params }, context) => {
  const filter = { _id: params['accountUid'] ?? '', appUid };
  const account = await context.store.accounts.findOne(filter);
  if (account === null) throw noSuchAccount();
  return { status: 200, body: presentAccount(account) };
};
