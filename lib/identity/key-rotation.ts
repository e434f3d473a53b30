// Which signing key signs, which are published, and when the next is due: decided by the keys and the time alone.
import { hourMs, minuteMs } from '../platform/duration.ts';
import type { KeyTerm } from '../model/signing-key.ts';

/** What is to be done about the keys at a moment. */
export interface RotationPlan<Key extends KeyTerm> {
  /** The key that signs; null while there is none. */
  active: Key | null;
  /** The keys that a verifier may meet: the next one, the active one, and retired ones. */
  published: Key[];
  /** The term of the key to make now, or null. */
  toAdd: KeyTerm | null;
  /** Retired keys whose last token has run out. */
  toRemove: Key[];
}

export interface RotationTimes {
  now: Date;
  /** How long a key signs. */
  rotationMs: number;
  /** The longest life that a token can have, whatever the setting was when it was signed. */
  tokenLifetimeMaxMs: number;
}

/** How long verifiers and proxies may keep the published keys. */
export const jwksCachedMs = 5 * minuteMs;

/** How long a process may sign by what it read of the keys; to publish them it then reads again. */
export const keysCachedMs = minuteMs;

/**
 * How long a process goes on to publish what it read while it reads again, which fails while the
 * database is away; and a cache what it has while the service is.
 */
export const jwksStaleMs = 20 * minuteMs;

/**
 * How long a key is published before it signs. It must be more than the times above together, the
 * last one twice, or a verifier meets a key it has not heard of; an hour also covers verifiers that
 * keep keys longer than they are told to (jose keeps them for ten minutes).
 */
export const publishedAheadMs = hourMs;

/** By how much the clocks of processes and verifiers may differ. */
const clockSkewMs = 5 * minuteMs;

/**
 * Decides about the keys. A key is `next` before its `signsFrom`, `active` from then until the
 * next key's, and `retired` until no token of its can be good any more; nothing of this is stored,
 * so no process can die between two states, and all processes change over at the same time.
 */
export function planRotation<Key extends KeyTerm>(
  keys: readonly Key[],
  { now, rotationMs, tokenLifetimeMaxMs }: RotationTimes,
): RotationPlan<Key> {
  const inOrder = keys.toSorted((a, b) => a.generation - b.generation);
  const latest = inOrder.at(-1);
  if (latest === undefined) {
    const toAdd = { generation: 1, signsFrom: now };
    return { active: null, published: [], toAdd, toRemove: [] };
  }
  const keptMs = tokenLifetimeMaxMs + keysCachedMs + clockSkewMs;
  const toRemove = inOrder.filter((_key, index) => {
    const successor = inOrder[index + 1];
    return successor !== undefined && successor.signsFrom.getTime() + keptMs <= now.getTime();
  });
  const dueAt = latest.signsFrom.getTime() + rotationMs;
  const isDue = now.getTime() >= dueAt - publishedAheadMs;
  // After a time without calls the next key is late: it is published for the full time all the same.
  const signsFrom = new Date(Math.max(dueAt, now.getTime() + publishedAheadMs));
  return {
    // Before the first key's time only a clock that is behind can ask; that key is the one to use.
    active: inOrder.findLast((key) => key.signsFrom <= now) ?? inOrder[0] ?? null,
    published: inOrder.filter((key) => !toRemove.includes(key)),
    toAdd: isDue ? { generation: latest.generation + 1, signsFrom } : null,
    toRemove,
  };
}
