import type { ClientSession } from 'mongodb';
import { AppError } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { limits } from '../limits.ts';
import type { Caller } from '../model/audit-log.ts';
import type { UserDocument, UserIdentity } from '../model/user.ts';
import { FairPermits } from '../concurrency/fair-permits.ts';
import { overloaded } from '../platform/overloaded.ts';
import { recordAudits } from '../access/audit-log.ts';
import { type Store } from '../mongo/connect.ts';
import { inTransaction } from '../mongo/transaction.ts';
import { isDuplicateKey } from '../mongo/write-errors.ts';
import type { UserReader } from './user-reader.ts';

interface AccountsToAdd {
  accountUids: readonly string[];
  caller: Caller;
  now: Date;
}

interface UserToFind extends AccountsToAdd {
  appUid: string;
  identity: UserIdentity;
  name: string | null;
  email: string | undefined;
}

interface FoundUser {
  user: UserDocument;
  created: boolean;
}

const raceAttemptsMax = 3;

/**
 * Transactions that write the same user or account conflict, so few run at a time. A sign-in that waited often finds its
 * accounts already added.
 */
export const additions = new FairPermits({
  permitsMax: 16,
  queueMax: 10_000,
  waitMsMax: 10_000,
  refusal: overloaded,
});

/** Throws `limit_reached` (accounts of a user), `overloaded` (too many callers wait) and `conflict` (lost races). */
export async function findOrCreateUser(
  store: Store,
  wanted: UserToFind,
  readUser: UserReader,
): Promise<FoundUser> {
  const { appUid, identity, accountUids, caller, now } = wanted;
  const known = await readUser({ appUid, identity });
  if (known && isMemberOfAll(known, accountUids)) return { user: known, created: false };
  for (let attempt = 1; attempt <= raceAttemptsMax; attempt += 1) {
    const found = await upsertUser(store, wanted);
    if (found === null) continue;
    if (isMemberOfAll(found.user, accountUids)) return found;
    const user = await additions.run({ group: appUid, member: null }, async () => {
      const current = await readUser({ appUid, identity });
      if (current && isMemberOfAll(current, accountUids)) return current;
      return inTransaction(store, (session) =>
        addToAccounts(store, found.user, { accountUids, caller, now, session }),
      );
    });
    // Null if the user was deleted meanwhile; its identity is then free for a new user.
    if (user !== null) return { user, created: found.created };
  }
  throw new AppError('conflict', 'the user is being created or deleted; try again');
}

function isMemberOfAll(user: UserDocument, accountUids: readonly string[]): boolean {
  return accountUids.every((uid) => user.accountUids.includes(uid));
}

/** Returns null if another upsert won: the next attempt finds its user. */
async function upsertUser(store: Store, wanted: UserToFind): Promise<FoundUser | null> {
  const { appUid, identity, now } = wanted;
  const user = {
    _id: newId('usr', now),
    name: wanted.name,
    ...(wanted.email === undefined ? {} : { email: wanted.email }),
    accountUids: [],
    tokenEpoch: 0,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
  try {
    // An upsert instead of a read and an insert, because it also sees data that a majority does not have yet.
    const result = await store.users.findOneAndUpdate(
      { appUid, ...identity },
      { $setOnInsert: user },
      { upsert: true, returnDocument: 'after', includeResultMetadata: true },
    );
    if (result.value === null) throw new Error('an upsert returned no user');
    return { user: result.value, created: result.lastErrorObject?.['updatedExisting'] === false };
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return null;
  }
}

/** Returns the user, or null if it is not in the application. Throws `limit_reached`. */
export async function addToAccounts(
  store: Store,
  { _id, appUid }: Pick<UserDocument, '_id' | 'appUid'>,
  { accountUids, ...context }: AccountsToAdd & { session: ClientSession },
): Promise<UserDocument | null> {
  const { now, session } = context;
  const filter = { _id, appUid, deletedAt: null };
  const user = await store.users.findOne(filter, { session });
  if (user === null) return null;
  const added = accountUids.filter((uid) => !user.accountUids.includes(uid));
  if (added.length === 0) return user;
  // A concurrent change between the read and this write would conflict.
  const fields = { accountUids: [...user.accountUids, ...added], updatedAt: now };
  if (fields.accountUids.length > limits.accountsPerUserMax) {
    const detail = `a user can be in at most ${limits.accountsPerUserMax} accounts`;
    throw new AppError('limit_reached', detail);
  }
  await store.users.updateOne(filter, { $set: fields }, { session });
  const row = { appUid, action: 'account.member_added', details: { userUid: _id } };
  const rows = added.map((uid) => ({ ...row, target: { kind: 'account', uid } }));
  await recordAudits(store, rows, context);
  return { ...user, ...fields };
}

export async function removeFromAccounts(
  store: Store,
  user: { _id: string; appUid: string },
  accountUids: readonly string[],
): Promise<void> {
  await store.users.updateOne(user, { $pull: { accountUids: { $in: [...accountUids] } } });
}

/**
 * Keeps only the uid; the next sign-in creates a new user. Revokes its tokens, and returns the count of revocations, or
 * null if the application has no such user.
 */
export async function eraseUser(
  store: Store,
  { appUid, userUid }: { appUid: string; userUid: string },
  { now, session }: { now: Date; session: ClientSession },
): Promise<number | null> {
  const erased = await store.users.findOneAndUpdate(
    { _id: userUid, appUid, deletedAt: null },
    {
      $unset: { externalId: '', emailKey: '', email: '' },
      $set: { name: null, accountUids: [], updatedAt: now, deletedAt: now },
      $inc: { tokenEpoch: 1 },
    },
    { session, returnDocument: 'after' },
  );
  return erased?.tokenEpoch ?? null;
}
