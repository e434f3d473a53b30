// Revocation of user tokens: a token is good as long as nobody revoked since it was issued.
import type { ClientSession } from 'mongodb';
import { coalesce } from '../coalesce.ts';
import type { Store } from './connect.ts';
import type { UserDocument } from './users.ts';

// A token carries its epoch: how often its user's tokens and its application's had been revoked
// when it was issued. Counting needs no clock: `iat` is in whole seconds, and the clocks of two
// processes differ by more than the time between a revocation and the next sign-in, while one
// that counts before it signs is dead after a revocation and alive without, to the instant.

/** Gives the epoch of a user's token issued now: the sum of two counts that only ever grow. */
export type TokenEpochReader = (
  user: Pick<UserDocument, 'appUid' | 'tokenEpoch'>,
) => Promise<number>;

/** Makes the reader of a process: many callers at once in one read, nothing cached. */
export function createTokenEpochReader(store: Store): TokenEpochReader {
  const readAppEpoch = coalesce<string, number>(
    { itemsPerCallMax: 200, callsAtOnceMax: 4 },
    async (appUids) => {
      const wanted = { _id: { $in: [...new Set(appUids)] } };
      const apps = await store.apps.find(wanted, { projection: { tokenEpoch: 1 } }).toArray();
      const epochs = new Map(apps.map((app) => [app._id, app.tokenEpoch]));
      return appUids.map((appUid) => epochs.get(appUid) ?? 0);
    },
  );
  return async ({ appUid, tokenEpoch = 0 }) => (await readAppEpoch(appUid)) + tokenEpoch;
}

/** Ends all tokens that a user has. Gives false when the application has no such user. */
export async function revokeUserTokens(
  store: Store,
  { appUid, userUid }: { appUid: string; userUid: string },
  session: ClientSession,
): Promise<boolean> {
  const filter = { _id: userUid, appUid, deletedAt: null };
  const raised = await store.users.updateOne(filter, { $inc: { tokenEpoch: 1 } }, { session });
  return raised.matchedCount === 1;
}

/** Ends all tokens that the users of an application have. */
export async function revokeAppTokens(
  store: Store,
  appUid: string,
  session: ClientSession,
): Promise<void> {
  await store.apps.updateOne({ _id: appUid }, { $inc: { tokenEpoch: 1 } }, { session });
}
