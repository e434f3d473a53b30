import type { Webhook } from '@agent-herald/client';
import { readWaitMs } from './retry-times.ts';

// An event is recorded before its first attempt, which may have waited and then taken seconds to fail.
const beforeFailureMs = 60_000;

type Facts = Pick<Webhook, 'createdAt' | 'failingSince'>;

/** Returns when the oldest event that a recovery can find was recorded. `recordsKept` is null if not known. */
export function firstRecoverable(
  { createdAt }: Pick<Webhook, 'createdAt'>,
  { recordsKept, now }: { recordsKept: string | null; now: Date },
): string {
  const keptMs = readWaitMs(recordsKept ?? '');
  if (keptMs === null) return createdAt;
  const oldest = new Date(now.getTime() - keptMs).toISOString();
  return createdAt > oldest ? createdAt : oldest;
}

/**
 * Returns the default start of a recovery. A delivery counts as lost days after its event, so unless a failure is
 * ongoing, the default is everything that is kept.
 */
export function lostSince(webhook: Facts, kept: { recordsKept: string | null; now: Date }): string {
  const first = firstRecoverable(webhook, kept);
  if (webhook.failingSince === null) return first;
  const before = new Date(Date.parse(webhook.failingSince) - beforeFailureMs).toISOString();
  return before > first ? before : first;
}
