import type { Handler } from '../route.ts';
import { accountSchema, noSuchAccount, presentAccount } from './account.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'getAccount',
  summary: 'Get an account',
  answers: { 200: { description: 'The account', schema: accountSchema } },
};

export const getAccount: Handler = operation(facts, async ({ appUid, params }, context) => {
  const filter = { _id: params['accountUid'] ?? '', appUid };
  const account = await context.store.accounts.findOne(filter);
  if (account === null) throw noSuchAccount();
  return { status: 200, body: presentAccount(account) };
});
