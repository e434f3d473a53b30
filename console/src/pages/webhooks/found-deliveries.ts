// What a recovery finds, in numbers and words.
import type { ReplayDryRun } from '@agent-herald/client';
import { formatDuration } from '../../parts/format-time.ts';

export const lostStates = ['exhausted', 'blocked', 'cancelled'] as const;

export interface Found {
  lost: number;
  retrying: number;
  held: number;
  isCapped: boolean;
  /** The time until the next retry. Null without retries. */
  nextInMs: number | null;
}

/** Returns how many deliveries a dry run found, by what they need. */
export function foundBy(dryRun: ReplayDryRun, countedAtMs: number): Found {
  const { states, countIsCapped, nextAttemptAt } = dryRun;
  const countOf = (...names: readonly string[]): number =>
    states.reduce((sum, { state, count }) => sum + (names.includes(state) ? count : 0), 0);
  return {
    lost: countOf(...lostStates),
    retrying: countOf('retrying'),
    held: countOf('held'),
    isCapped: countIsCapped,
    nextInMs: nextAttemptAt === null ? null : Date.parse(nextAttemptAt) - countedAtMs,
  };
}

/** Returns a sentence for each kind, such as "2 deliveries wait, the next in 10 min." */
export function textOf({ lost, retrying, held, isCapped, nextInMs }: Found): string {
  const next = nextInMs === null || nextInMs < 1_000 ? 'now' : `in ${formatDuration(nextInMs)}`;
  const sentences = [
    sentence(retrying, [`waits, due ${next}`, `wait, the next ${next}`]),
    sentence(held, ['is held', 'are held']),
    sentence(lost, ['was lost', 'were lost']),
  ].filter((text) => text !== '');
  if (sentences.length === 0) return 'No deliveries wait, and none were lost.';
  return `${isCapped ? 'There may be more: ' : ''}${sentences.join(' ')}`;
}

function sentence(count: number, [one, many]: readonly [string, string]): string {
  if (count === 0) return '';
  return count === 1 ? `1 delivery ${one}.` : `${count.toLocaleString('en')} deliveries ${many}.`;
}
