// Users: one identity each, by the integrator's id or by e-mail, never both.
import type { Store } from './connect.ts';
import { isDuplicateKey } from './connect.ts';
import { newId } from '../ids.ts';

export interface UserDocument {
  _id: string;
  appUid: string;
  /** Absent for a user known by e-mail. */
  externalId?: string;
  /** The canonical e-mail's keyed hash; absent for a user known by the integrator's id. */
  emailKey?: string;
  /** The e-mail made unique to the application; mail never reaches it. */
  email?: string;
  name: string | null;
  accountUids: string[];
  createdAt: Date;
  updatedAt: Date;
}

/** What identifies a user: exactly the fields of one of the two unique indexes. */
export type UserIdentity = { externalId: string } | { emailKey: string };

export interface UserToFind {
  appUid: string;
  identity: UserIdentity;
  /** Applied only when the user is new. */
  name: string | null;
  /** The e-mail made unique to the application, kept only when the user is new. */
  email: string | undefined;
  /** Added to the accounts the user is in already. */
  accountUids: readonly string[];
  now: Date;
}

const raceAttemptsMax = 3;

/**
 * Finds the user of an identity or creates it, and adds the accounts. Any number of callers at
 * once get the same one user: the unique index decides, and who loses the race reads again.
 */
export async function findOrCreateUser(
  store: Store,
  wanted: UserToFind,
): Promise<{ user: UserDocument; created: boolean }> {
  const { appUid, identity } = wanted;
  const known = await store.users.findOne({ appUid, ...identity });
  if (known && wanted.accountUids.every((uid) => known.accountUids.includes(uid))) {
    return { user: known, created: false };
  }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await upsertUser(store, wanted);
    } catch (error) {
      // Two upserts of a new user may both try to insert it; the second attempt finds the winner's.
      if (!isDuplicateKey(error) || attempt === raceAttemptsMax) throw error;
    }
  }
}

async function upsertUser(
  store: Store,
  wanted: UserToFind,
): Promise<{ user: UserDocument; created: boolean }> {
  const result = await store.users.findOneAndUpdate(
    { appUid: wanted.appUid, ...wanted.identity },
    {
      $setOnInsert: {
        _id: newId('usr', wanted.now),
        name: wanted.name,
        createdAt: wanted.now,
        ...(wanted.email === undefined ? {} : { email: wanted.email }),
      },
      $set: { updatedAt: wanted.now },
      $addToSet: { accountUids: { $each: [...wanted.accountUids] } },
    },
    { upsert: true, returnDocument: 'after', includeResultMetadata: true },
  );
  if (result.value === null) throw new Error('an upsert gave no user back');
  return { user: result.value, created: result.lastErrorObject?.['updatedExisting'] === false };
}
