import { recordAudit } from '../../lib/access/audit-log.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import { AppError } from '../../lib/platform/errors.ts';
import type { Handler } from '../route.ts';
import { noSuchAccount } from './account.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'removeAccountMember',
  summary: 'Remove a user from an account',
  answers: { 204: { description: 'Done' } },
};

export const removeMember: Handler = operation(
  facts,
  async ({ appUid, params, caller }, context) => {
    const { store } = context;
    const { accountUid = '', userUid = '' } = params;
    const now = context.clock.now();
    await inTransaction(store, async (session) => {
      const account = await store.accounts.findOne({ _id: accountUid, appUid }, { session });
      if (account === null) throw noSuchAccount();
      const { matchedCount } = await store.users.updateOne(
        { _id: userUid, appUid, accountUids: accountUid },
        { $pull: { accountUids: accountUid }, $set: { updatedAt: now } },
        { session },
      );
      if (matchedCount === 0) throw new AppError('not_found', 'the account has no such member');
      const target = { kind: 'account', uid: accountUid };
      const entry = { appUid, action: 'account.member_removed', target, details: { userUid } };
      await recordAudit(store, entry, { caller, now, session });
    });
    return { status: 204 };
  },
);
