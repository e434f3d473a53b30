// Slows down password guessing without letting anyone lock an admin out.
import { createHmac } from 'node:crypto';
import type { Document } from 'mongodb';
import { minuteMs } from '../platform/duration.ts';
import { networkOf } from '../egress/network-of.ts';
import { type Store } from '../mongo/connect.ts';
import { isDuplicateKey } from '../mongo/write-errors.ts';

const freeFailures = { person: 5, address: 20 } as const;
const firstWaitMs = 1_000;
const longestWaitMs = 15 * minuteMs;
const raceAttemptsMax = 3;

export interface SignInSubject {
  email: string;
  address: string | null;
  /** A browser with which this admin has signed in before. */
  device?: string | null;
}

type SignInAttempt =
  | {
      allowed: true;
      succeeded: () => Promise<void>;
      /** For a password that was not checked. */
      release: () => Promise<void>;
    }
  | { allowed: false; retryAfterMs: number };

/** Counts a failure until `succeeded` or `release` is called, so that concurrent guesses count, too. */
export async function beginSignInAttempt(
  store: Store,
  { email, address, device = null }: SignInSubject,
  { pepper, now }: { pepper: string; now: Date },
): Promise<SignInAttempt> {
  const network = networkOf(address);
  const hash = (text: string): string =>
    createHmac('sha256', pepper).update(`sign-in|${text}`).digest('hex');
  const own = hash(device === null ? `${email}|${network}` : `device|${device}`);
  const counters: Counter[] = [{ id: own, free: freeFailures.person }];
  if (device === null) counters.push({ id: hash(network), free: freeFailures.address });
  // Checked before any write, so that a blocked address neither fills the database with emails nor delays their owners.
  const waitMs = await findWait(store, counters, now);
  if (waitMs > 0) return { allowed: false, retryAfterMs: waitMs };
  const counted: Counted[] = [];
  const release = async (): Promise<void> => {
    await Promise.all(counted.map((each) => uncount(store, each)));
  };
  for (const counter of counters) {
    const each = await count(store, counter, now);
    if (each.retryAfterMs > 0) {
      await release();
      return { allowed: false, retryAfterMs: each.retryAfterMs };
    }
    counted.push(each);
  }
  return {
    allowed: true,
    release,
    async succeeded() {
      await store.signInThrottles.deleteOne({ _id: own });
      // For the address, only this attempt is uncounted: an attacker's own account must not clear guesses at others.
      await Promise.all(counted.filter(({ id }) => id !== own).map((each) => uncount(store, each)));
    },
  };
}

interface Counter {
  id: string;
  /** The number of failures without a wait. */
  free: number;
}

interface Counted {
  id: string;
  /** Above 0: the attempt is refused and was not counted. */
  retryAfterMs: number;
  blockedUntil: Date | null;
}

async function findWait(store: Store, counters: readonly Counter[], now: Date): Promise<number> {
  const ids = counters.map(({ id }) => id);
  const longest = await store.signInThrottles.findOne(
    { _id: { $in: ids }, blockedUntil: { $gt: now } },
    { sort: { blockedUntil: -1 } },
  );
  return (longest?.blockedUntil?.getTime() ?? now.getTime()) - now.getTime();
}

/** Also clears the wait that the attempt set, but not that of a later one. */
async function uncount(store: Store, { id, blockedUntil }: Counted): Promise<void> {
  const isOwnWait = { $eq: ['$blockedUntil', blockedUntil] };
  await store.signInThrottles.updateOne({ _id: id }, [
    {
      $set: {
        failures: { $subtract: ['$failures', 1] },
        blockedUntil: { $cond: [isOwnWait, null, '$blockedUntil'] },
      },
    },
  ]);
  await store.signInThrottles.deleteOne({ _id: id, failures: { $lte: 0 } });
}

async function count(store: Store, { id, free }: Counter, now: Date): Promise<Counted> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const before = await store.signInThrottles.findOneAndUpdate(
        { _id: id },
        counting(free, now),
        { upsert: true, returnDocument: 'before' },
      );
      const retryAfterMs = (before?.blockedUntil?.getTime() ?? 0) - now.getTime();
      const failures = (before?.failures ?? 0) + 1;
      return { id, retryAfterMs, blockedUntil: blockAfter(failures, free, now) };
    } catch (error) {
      // Two upserts of a new document may both try to insert it.
      if (!isDuplicateKey(error) || attempt === raceAttemptsMax) throw error;
    }
  }
}

/** Returns one atomic update that changes nothing while blocked, and otherwise counts and sets the next wait. */
function counting(free: number, now: Date): Document[] {
  const blocked = { $gt: ['$blockedUntil', now] };
  const failures = { $add: [{ $ifNull: ['$failures', 0] }, 1] };
  const waitMs = {
    $min: [
      longestWaitMs,
      { $multiply: [firstWaitMs, { $pow: [2, { $subtract: [failures, free] }] }] },
    ],
  };
  const until = { $cond: [{ $lt: [failures, free] }, null, { $add: [now, waitMs] }] };
  return [
    {
      $set: {
        failures: { $cond: [blocked, '$failures', failures] },
        blockedUntil: { $cond: [blocked, '$blockedUntil', until] },
        updatedAt: { $cond: [blocked, '$updatedAt', now] },
      },
    },
  ];
}

/** Computes the same wait as `counting`, so that `uncount` recognises its own. */
function blockAfter(failures: number, free: number, now: Date): Date | null {
  if (failures < free) return null;
  return new Date(now.getTime() + Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - free)));
}
