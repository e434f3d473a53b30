import type { Webhook } from '@agent-herald/client';
import { readWaitMs } from './retry-times.ts';

// An event is recorded before its first attempt, which may have waited and taken some seconds until it failed.
const beforeFailureMs = 60_000;

type Facts = Pick<Webhook, 'createdAt' | 'failingSince'>;

/** Returns when the first event was recorded that a recovery may find. `recordsKept`: how long, null if not known. */
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
 * Returns since when a recovery looks for what was lost, unless somebody says otherwise. A delivery is lost days
 * after its event, so without a failure that still lasts it is all that is kept.
 */
export function lostSince(webhook: Facts, kept: { recordsKept: string | null; now: Date }): string {
  const first = firstRecoverable(webhook, kept);
  if (webhook.failingSince === null) return first;
  const before = new Date(Date.parse(webhook.failingSince) - beforeFailureMs).toISOString();
  return before > first ? before : first;
}
