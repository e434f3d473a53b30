import type { ClientSession } from 'mongodb';
import { coalesce } from '../concurrency/coalesce.ts';
import type { AppDocument } from '../model/app.ts';
import type { UserDocument } from '../model/user.ts';
import type { Store } from '../mongo/connect.ts';
import { raiseCounts } from '../mongo/raise-counts.ts';
import type { UserClaims } from './user-token.ts';

/**
 * Reads the revocations of a user and its application, and the application's origins. A token is valid while `epoch`,
 * the sum of both, is unchanged (ADR 12).
 */
export type TokenEpochReader = (
  user: Pick<UserDocument, 'appUid' | 'tokenEpoch'>,
) => Promise<Pick<UserClaims, 'epoch' | 'appEpoch' | 'origins'>>;

/** Concurrent callers share a read; nothing is cached. */
export function createTokenEpochReader(store: Store): TokenEpochReader {
  const readApp = coalesce<string, Pick<AppDocument, 'tokenEpoch' | 'origins'>>(
    { itemsPerCallMax: 200, concurrentCallsMax: 1 },
    async (appUids) => {
      const wanted = { _id: { $in: [...new Set(appUids)] } };
      const apps = await store.apps
        .find(wanted, { projection: { tokenEpoch: 1, origins: 1 } })
        .toArray();
      const found = new Map(apps.map((app) => [app._id, app]));
      return appUids.map((appUid) => found.get(appUid) ?? { tokenEpoch: 0, origins: null });
    },
  );
  return async ({ appUid, tokenEpoch }) => {
    const { tokenEpoch: appEpoch, origins } = await readApp(appUid);
    return { epoch: appEpoch + tokenEpoch, appEpoch, origins };
  };
}

/** Returns the new count, or null if the application has no such user. */
export async function revokeUserTokens(
  store: Store,
  { appUid, userUid }: { appUid: string; userUid: string },
  session: ClientSession,
): Promise<number | null> {
  const filter = { _id: userUid, appUid, deletedAt: null };
  const options = { session, returnDocument: 'after', projection: { tokenEpoch: 1 } } as const;
  const raised = await store.users.findOneAndUpdate(filter, { $inc: { tokenEpoch: 1 } }, options);
  return raised?.tokenEpoch ?? null;
}

/** Returns the new count. */
export async function revokeAppTokens(
  store: Store,
  appUid: string,
  session: ClientSession,
): Promise<number> {
  const options = { session, returnDocument: 'after', projection: { tokenEpoch: 1 } } as const;
  const raised = { $inc: { tokenEpoch: 1 } };
  const app = await store.apps.findOneAndUpdate({ _id: appUid }, raised, options);
  if (app === null) throw new Error('the application does not exist');
  return app.tokenEpoch;
}

/**
 * Raises the counts of all users and applications, for a database restored to an earlier moment: otherwise tokens
 * revoked since would be valid again, and verifiers that remember those revocations would refuse new tokens.
 */
export async function raiseTokenEpochs({ users, apps }: Store, now: Date): Promise<number> {
  await raiseCounts(apps, { field: 'tokenEpoch', now });
  return raiseCounts(users, { field: 'tokenEpoch', now });
}
