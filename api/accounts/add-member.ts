// PUT …/accounts/{accountUid}/members/{userUid}: adds a user to an account.
import { recordAudit } from '../../lib/store/audit-log.ts';
import { inTransaction } from '../../lib/store/connect.ts';
import { addToAccounts } from '../../lib/store/users.ts';
import type { Handler } from '../http/router.ts';
import { noSuchUser } from '../users/user.ts';
import { noSuchAccount } from './account.ts';

/**
 * Adds a user to an account, of which the user's next token tells; one that is in it already stays
 * so. Throws `not_found`, or `limit_reached` at 100 accounts a user.
 */
export const addMember: Handler = async ({ appUid, params, caller }, context) => {
  const { store } = context;
  const accountUid = params['accountUid'] ?? '';
  const userUid = params['userUid'] ?? '';
  const now = context.clock.now();
  await inTransaction(store, async (session) => {
    const account = await store.accounts.findOne({ _id: accountUid, appUid }, { session });
    if (account === null) throw noSuchAccount();
    const filter = { _id: userUid, appUid, deletedAt: null };
    const user = await store.users.findOne(filter, { session });
    if (user === null) throw noSuchUser();
    if (user.accountUids.includes(accountUid)) return;
    const change = { accountUids: [accountUid], now, session };
    if ((await addToAccounts(store, { _id: userUid, appUid }, change)) === null) throw noSuchUser();
    const target = { kind: 'account', uid: accountUid };
    const entry = { appUid, action: 'account.member_added', target, details: { userUid } };
    await recordAudit(store, entry, { caller, now, session });
  });
  return { status: 204 };
};
