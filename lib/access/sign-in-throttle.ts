// Slows the guessing of passwords down, without letting anyone lock an admin out.
import { createHmac } from 'node:crypto';
import type { Document } from 'mongodb';
import { minuteMs } from '../platform/duration.ts';
import { networkOf } from '../egress/network-of.ts';
import { isDuplicateKey, type Store } from '../mongo/connect.ts';

// An office behind one address may mistype more often than one person does.
const freeFailures = { person: 5, address: 20 } as const;
const firstWaitMs = 1_000;
const longestWaitMs = 15 * minuteMs;
const raceAttemptsMax = 3;

/** Who tries to sign in, and from where. */
export interface SignInSubject {
  email: string;
  address: string | null;
  /** The browser, where the admin of the e-mail signed in with it before. */
  device?: string | null;
}

/** The leave to check one password, or how long to wait for it. */
export type SignInTurn = Leave | { allowed: false; retryAfterMs: number };

interface Leave {
  allowed: true;
  /** The password was right. */
  succeeded: () => Promise<void>;
  /** The password was not looked at. */
  handBack: () => Promise<void>;
}

/**
 * Takes the leave to check one password. It counts as a failure until `succeeded` or `handBack` is
 * called, so guesses made at once count as well; what is refused does not count. After 5 failures for
 * an e-mail from an address, and after 20 from an address, each next one must wait, from 1 s doubling
 * to 15 minutes; a day without any forgets them. The e-mail alone is never held back: its owner signs in from another address, or with
 * a browser known from before, whose own failures alone count.
 */
export async function takeSignInTurn(
  store: Store,
  { email, address, device = null }: SignInSubject,
  { pepper, now }: { pepper: string; now: Date },
): Promise<SignInTurn> {
  const network = networkOf(address);
  const hash = (text: string): string =>
    createHmac('sha256', pepper).update(`sign-in|${text}`).digest('hex');
  const own = hash(device === null ? `${email}|${network}` : `device|${device}`);
  const counters: Counter[] = [{ id: own, free: freeFailures.person }];
  if (device === null) counters.push({ id: hash(network), free: freeFailures.address });
  // Before anything is written: an address that waits must neither fill the database with the e-mails
  // that it makes up, nor have the owner of one wait for more than the address.
  const waitMs = await findWait(store, counters, now);
  if (waitMs > 0) return { allowed: false, retryAfterMs: waitMs };
  const counted: Counted[] = [];
  const handBack = async (): Promise<void> => {
    await Promise.all(counted.map((each) => takeBack(store, each)));
  };
  for (const counter of counters) {
    const each = await count(store, counter, now);
    if (each.retryAfterMs > 0) {
      await handBack();
      return { allowed: false, retryAfterMs: each.retryAfterMs };
    }
    counted.push(each);
  }
  return {
    allowed: true,
    handBack,
    async succeeded() {
      await store.signInThrottles.deleteOne({ _id: own });
      // Of the address only this attempt: an own account must not wipe out guesses at others.
      await Promise.all(
        counted.filter(({ id }) => id !== own).map((each) => takeBack(store, each)),
      );
    },
  };
}

/** What failures are counted under, and how many of them cost no wait. */
interface Counter {
  id: string;
  free: number;
}

interface Counted {
  id: string;
  /** Above 0: this attempt is not allowed and was not counted. */
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

/** Takes one attempt back, and the wait that it set; that of an attempt made meanwhile stays. */
async function takeBack(store: Store, { id, blockedUntil }: Counted): Promise<void> {
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
        {
          upsert: true,
          returnDocument: 'before',
        },
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

/** One atomic step: an attempt while blocked changes nothing, another counts and sets the next wait. */
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

/** What `counting` writes, so that an attempt that is taken back can tell its own wait from another's. */
function blockAfter(failures: number, free: number, now: Date): Date | null {
  if (failures < free) return null;
  return new Date(now.getTime() + Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - free)));
}
