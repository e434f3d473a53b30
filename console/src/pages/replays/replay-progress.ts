import type { Replay } from '@agent-herald/client';

type Facts = Pick<
  Replay,
  'state' | 'since' | 'until' | 'reachedAt' | 'webhookCount' | 'webhooksDone'
>;

/** Returns the progress in percent. A replay goes through its range for one webhook after another. */
export function progressOf(replay: Facts): number {
  const { state, since, until, reachedAt, webhookCount, webhooksDone } = replay;
  if (state === 'done') return 100;
  const rangeMs = Date.parse(until) - Date.parse(since);
  const reachedMs = reachedAt === null ? 0 : Date.parse(reachedAt) - Date.parse(since);
  const share = Math.min(Math.max(reachedMs / rangeMs, 0), 1);
  return Math.floor((100 * (webhooksDone + share)) / Math.max(1, webhookCount, webhooksDone + 1));
}
