import type { ClientSession } from 'mongodb';
import { type Store } from '../mongo/connect.ts';
import { within } from '../mongo/transaction.ts';

export interface NamedAccounts {
  appUid: string;
  accountUids: readonly string[];
}

/** Returns the uids that are accounts of the application, in the given order. */
export async function findKnownAccounts(
  store: Store,
  { appUid, accountUids }: NamedAccounts,
  session?: ClientSession,
): Promise<string[]> {
  if (accountUids.length === 0) return [];
  const known = await store.accounts
    .find(
      { appUid, _id: { $in: [...accountUids] } },
      { projection: { _id: 1 }, ...within(session) },
    )
    .map((account) => account._id)
    .toArray();
  const knownUids = new Set(known);
  return accountUids.filter((uid) => knownUids.has(uid));
}

/** Returns how many of the accounts exist. Also writes to them, so that a concurrent deletion conflicts. */
export async function lockAccounts(
  store: Store,
  { appUid, accountUids }: NamedAccounts,
  session: ClientSession,
): Promise<number> {
  if (accountUids.length === 0) return 0;
  const accounts = { appUid, _id: { $in: [...accountUids] } };
  const update = { $inc: { turn: 1 } };
  return (await store.accounts.updateMany(accounts, update, { session })).matchedCount;
}

const usersPerBatchMax = 1_000;

/** Removes all users from an account; a repeat resumes. */
export async function removeAllMembers(
  store: Store,
  { appUid, accountUid }: { appUid: string; accountUid: string },
  now: Date,
): Promise<void> {
  for (;;) {
    const users = await store.users
      .find({ appUid, accountUids: accountUid }, { projection: { _id: 1 } })
      .limit(usersPerBatchMax)
      .toArray();
    await store.users.updateMany(
      { _id: { $in: users.map((user) => user._id) } },
      { $pull: { accountUids: accountUid }, $set: { updatedAt: now } },
    );
    if (users.length < usersPerBatchMax) return;
  }
}
