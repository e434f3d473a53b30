import type { ClientSession } from 'mongodb';
import { AppError } from '../platform/errors.ts';
import { lockAccounts, findKnownAccounts, type NamedAccounts } from './accounts.ts';
import type { Store } from '../mongo/connect.ts';

/** Throws `unknown_account_uids` with a pointer to each account that is not in the application. */
export async function checkAccounts(
  store: Store,
  named: NamedAccounts,
  session?: ClientSession,
): Promise<void> {
  const { accountUids } = named;
  const known = new Set(await findKnownAccounts(store, named, session));
  const unknown = new Set(accountUids.filter((uid) => !known.has(uid)));
  if (unknown.size === 0) return;
  const errors = accountUids.map((uid, index) => ({
    pointer: `#/accountUids/${index}`,
    code: 'unknown_account' as const,
    detail: `${uid} is not an account of this application`,
  }));
  throw new AppError('unknown_account_uids', `unknown accountUids: ${[...unknown].join(', ')}`, {
    errors: errors.filter((_error, index) => unknown.has(accountUids[index] ?? '')),
  });
}

/** Does the same in the transaction that stores the uids, so that no account is deleted before it commits. */
export async function checkAndLockAccounts(
  store: Store,
  named: NamedAccounts,
  session: ClientSession,
): Promise<void> {
  const count = await lockAccounts(store, named, session);
  if (count < new Set(named.accountUids).size) await checkAccounts(store, named, session);
}
