import { recordAudit } from '../../lib/access/audit-log.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import type { Handler } from '../route.ts';
import { accountSchema, type ChangeAccountBody, noSuchAccount, presentAccount } from './account.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'changeAccount',
  summary: 'Change the name of an account',
  example: { name: 'Acme Corporation' },
  answers: { 200: { description: 'The account', schema: accountSchema } },
};

/** Writes nothing if the name is unchanged. Throws `not_found`. */
export const changeAccount: Handler<ChangeAccountBody> = operation(
  facts,
  async (request, context) => {
    const { appUid, params, body, caller } = request;
    const { store } = context;
    const _id = params['accountUid'] ?? '';
    const now = context.clock.now();
    const account = await inTransaction(store, async (session) => {
      const before = await store.accounts.findOne({ _id, appUid }, { session });
      if (before === null) throw noSuchAccount();
      const { name = before.name } = body;
      if (name === before.name) return before;
      const fields = { name, updatedAt: now };
      await store.accounts.updateOne({ _id, appUid }, { $set: fields }, { session });
      const target = { kind: 'account', uid: _id };
      const details = { name, previousName: before.name };
      const entry = { appUid, action: 'account.updated', target, details };
      await recordAudit(store, entry, { caller, now, session });
      return { ...before, ...fields };
    });
    return { status: 200, body: presentAccount(account) };
  },
);
