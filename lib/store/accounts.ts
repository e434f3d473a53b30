// Questions about an application's accounts.
import type { Store } from './connect.ts';

/** Gives those of `accountUids` that are not accounts of the application, in the order given. */
export async function findUnknownAccounts(
  store: Store,
  appUid: string,
  accountUids: readonly string[],
): Promise<string[]> {
  if (accountUids.length === 0) return [];
  const known = await store.accounts
    .find({ appUid, _id: { $in: [...accountUids] } }, { projection: { _id: 1 } })
    .map((account) => account._id)
    .toArray();
  const knownUids = new Set(known);
  return accountUids.filter((uid) => !knownUids.has(uid));
}
