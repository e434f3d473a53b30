import type { ClientSession } from 'mongodb';
import { coalesce } from '../concurrency/coalesce.ts';
import type { UserDocument } from '../model/user.ts';
import type { Store } from '../mongo/connect.ts';

/** The revocations of a user and its application: a token is valid while their sum is unchanged (ADR 12). */
export type TokenEpochReader = (
  user: Pick<UserDocument, 'appUid' | 'tokenEpoch'>,
) => Promise<number>;

/** Concurrent callers share a read; nothing is cached. */
export function createTokenEpochReader(store: Store): TokenEpochReader {
  const readAppEpoch = coalesce<string, number>(
    { itemsPerCallMax: 200, concurrentCallsMax: 1 },
    async (appUids) => {
      const wanted = { _id: { $in: [...new Set(appUids)] } };
      const apps = await store.apps.find(wanted, { projection: { tokenEpoch: 1 } }).toArray();
      const epochs = new Map(apps.map((app) => [app._id, app.tokenEpoch]));
      return appUids.map((appUid) => epochs.get(appUid) ?? 0);
    },
  );
  return async ({ appUid, tokenEpoch = 0 }) => (await readAppEpoch(appUid)) + tokenEpoch;
}

/** Returns false if the application has no such user. */
export async function revokeUserTokens(
  store: Store,
  { appUid, userUid }: { appUid: string; userUid: string },
  session: ClientSession,
): Promise<boolean> {
  const filter = { _id: userUid, appUid, deletedAt: null };
  const raised = await store.users.updateOne(filter, { $inc: { tokenEpoch: 1 } }, { session });
  return raised.matchedCount === 1;
}

export async function revokeAppTokens(
  store: Store,
  appUid: string,
  session: ClientSession,
): Promise<void> {
  await store.apps.updateOne({ _id: appUid }, { $inc: { tokenEpoch: 1 } }, { session });
}
