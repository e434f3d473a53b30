// Revocation of user tokens: a token is good as long as nobody revoked since it was issued.
import type { ClientSession } from 'mongodb';
import { coalesce } from '../concurrency/coalesce.ts';
import type { UserDocument } from '../model/user.ts';
import type { Store } from '../mongo/connect.ts';

/**
 * Gives the epoch of a user's token issued now: how often the user's tokens were revoked and how
 * often the application's, the sum of two counts that only grow. A token carries its epoch and is
 * good while that is unchanged. A time would not do (docs/adr/0012): `iat` is in whole seconds, and
 * the clocks of two processes differ by more than lies between a revocation and the next sign-in.
 */
export type TokenEpochReader = (
  user: Pick<UserDocument, 'appUid' | 'tokenEpoch'>,
) => Promise<number>;

/** Makes the reader of a process: many callers at once in one read, nothing cached. */
export function createTokenEpochReader(store: Store): TokenEpochReader {
  const readAppEpoch = coalesce<string, number>(
    { itemsPerCallMax: 200, callsAtOnceMax: 1 },
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
