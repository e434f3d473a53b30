// DELETE …/accounts/{accountUid}: deletes an account and removes it from users and agents.
import { removeAllMembers } from '../../lib/identity/accounts.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import { closeAccountToAgents } from '../resources/close-account-to-agents.ts';
import type { Handler } from '../route.ts';
import { noSuchAccount } from './account.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'deleteAccount',
  summary: 'Delete an account',
  description:
    'The account is removed from its users and agents. Event: `agent.updated` for each of these agents.',
  answers: { 204: { description: 'Done' } },
};

/**
 * The account is deleted first; users and agents lose its uid in later batches. After a crash, repeating the call
 * finishes the rest, although it responds with `not_found`. Throws `not_found`.
 */
export const deleteAccount: Handler = operation(
  facts,
  async ({ appUid, params, caller }, context) => {
    const { store } = context;
    const accountUid = params['accountUid'] ?? '';
    const now = context.clock.now();
    const deleted = await inTransaction(store, async (session) => {
      const account = await store.accounts.findOneAndDelete(
        { _id: accountUid, appUid },
        { session },
      );
      if (account === null) return false;
      const target = { kind: 'account', uid: accountUid };
      const entry = { appUid, action: 'account.deleted', target, details: { name: account.name } };
      await recordAudit(store, entry, { caller, now, session });
      return true;
    });
    await removeAllMembers(store, { appUid, accountUid }, now);
    await closeAccountToAgents(context, { appUid, accountUid });
    if (!deleted) throw noSuchAccount();
    return { status: 204 };
  },
);
