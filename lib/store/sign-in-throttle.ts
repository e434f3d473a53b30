// Slows the guessing of passwords down, without letting anyone lock an admin out.
import { createHmac } from 'node:crypto';
import type { Document } from 'mongodb';
import { networkOf } from '../net/network-of.ts';
import { isDuplicateKey } from './connect.ts';
import type { Store } from './connect.ts';

export interface SignInThrottleDocument {
  /** The keyed hash of an e-mail and an address, of an address alone, or of a known browser. */
  _id: string;
  failures: number;
  blockedUntil: Date | null;
  updatedAt: Date;
}

// An office behind one address may mistype more often than one person does.
const freeFailures = { person: 5, address: 20 } as const;
const firstWaitMs = 1_000;
const longestWaitMs = 15 * 60 * 1_000;
const raceAttemptsMax = 3;

/** Who tries to sign in, and from where. */
export interface SignInSubject {
  email: string;
  address: string | null;
  /** The browser, where the admin of the e-mail signed in with it before. */
  device?: string | null;
}

/** The leave to check one password, or how long to wait for it. */
export type SignInTurn =
  { allowed: true; succeeded: () => Promise<void> } | { allowed: false; retryAfterMs: number };

/**
 * Takes the leave to check one password. It counts as a failure until `succeeded` is called, so
 * guesses made at once count as well. After 5 failures for an e-mail from an address, and after 20
 * from an address, each next one must wait, from 1 s doubling to 15 minutes; a day without any
 * forgets them. The e-mail alone is never held back: its owner signs in from another address, or with
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
  const person = await count(store, { id: own, free: freeFailures.person, now });
  if (person.retryAfterMs > 0) return { allowed: false, retryAfterMs: person.retryAfterMs };
  const forgotten = async (): Promise<void> => {
    await store.signInThrottles.deleteOne({ _id: person.id });
  };
  if (device !== null) return { allowed: true, succeeded: forgotten };
  const place = await count(store, { id: hash(network), free: freeFailures.address, now });
  if (place.retryAfterMs > 0) return { allowed: false, retryAfterMs: place.retryAfterMs };
  return {
    allowed: true,
    async succeeded() {
      await forgotten();
      // Only this attempt is taken back: an own account must not wipe out guesses at others.
      await store.signInThrottles.updateOne(
        { _id: place.id, blockedUntil: place.blockedUntil },
        { $inc: { failures: -1 }, $set: { blockedUntil: null } },
      );
    },
  };
}

interface Counted {
  id: string;
  /** Above 0: this attempt is not allowed and was not counted. */
  retryAfterMs: number;
  blockedUntil: Date | null;
}

async function count(
  store: Store,
  { id, free, now }: { id: string; free: number; now: Date },
): Promise<Counted> {
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
        updatedAt: now,
      },
    },
  ];
}

/** What `counting` writes, so that a success can take back its own and no other. */
function blockAfter(failures: number, free: number, now: Date): Date | null {
  if (failures < free) return null;
  return new Date(now.getTime() + Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - free)));
}
