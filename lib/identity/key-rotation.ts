import { hourMs, minuteMs } from '../platform/duration.ts';
import type { KeyTerm, SigningKeyDocument } from '../model/signing-key.ts';

export interface RotationPlan<Key extends KeyTerm> {
  /** Null only before the first key. */
  active: Key | null;
  published: Key[];
  toAdd: KeyTerm | null;
  toRemove: Key[];
}

export const keyStates = ['next', 'active', 'retiring'] as const;

/** A published key with its signing period and state. */
export interface SigningKeyTerm extends Pick<SigningKeyDocument, 'createdAt' | 'signsFrom'> {
  keyId: string;
  state: (typeof keyStates)[number];
  signsUntil: Date;
}

interface RotationTimes {
  now: Date;
  rotationMs: number;
  /** Independent of the current setting. */
  tokenLifetimeMaxMs: number;
}

export const jwksCachedMs = 5 * minuteMs;

/** How long a process may sign with keys it has read. */
export const keysCachedMs = minuteMs;

/** How long a process publishes its last read keys while MongoDB is unavailable, and a cache while the service is. */
export const jwksStaleMs = 20 * minuteMs;

// More than the times above, the last one twice, or verifiers meet an unknown key; jose caches for 10 minutes.
export const publishedAheadMs = hourMs;

const clockSkewMs = 5 * minuteMs;

/** Decides only by the keys and the time (ADR 10), so that all processes switch at the same time. */
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
  // A key that is overdue after a time without calls is still published for the full time.
  const signsFrom = new Date(Math.max(dueAt, now.getTime() + publishedAheadMs));
  return {
    // Only a clock that is behind sees a time before the first key.
    active: inOrder.findLast((key) => key.signsFrom <= now) ?? inOrder[0] ?? null,
    published: inOrder.filter((key) => !toRemove.includes(key)),
    toAdd: isDue ? { generation: latest.generation + 1, signsFrom } : null,
    toRemove,
  };
}

/** Returns the signing period of each published key, oldest first. */
export function termsOf(
  { active, published }: RotationPlan<SigningKeyDocument>,
  rotationMs: number,
): SigningKeyTerm[] {
  return published.map(({ _id, createdAt, signsFrom, generation }, index) => {
    const after = generation - (active?.generation ?? 0);
    const planned = new Date(signsFrom.getTime() + rotationMs);
    const signsUntil = published[index + 1]?.signsFrom ?? planned;
    const state = after === 0 ? 'active' : after > 0 ? 'next' : 'retiring';
    return { keyId: _id, createdAt, signsFrom, signsUntil, state };
  });
}
