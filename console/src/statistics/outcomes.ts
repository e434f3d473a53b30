// The outcomes of attempts, in numbers and words.
import type { DeliveryCounts } from '@agent-herald/client';
import { formatDuration } from '../parts/format-time.ts';

/** The outcomes of an attempt, best first, each with its words and its colour in charts. */
export const outcomes = [
  { name: 'delivered', label: 'delivered', color: 'teal.6' },
  // Not "retrying", which is a state of deliveries: most of them are settled by now.
  { name: 'retrying', label: 'failed with retries left', color: 'yellow.6' },
  { name: 'exhausted', label: 'exhausted', color: 'red.7' },
  { name: 'blocked', label: 'blocked', color: 'grape.6' },
] as const;

export type Outcome = (typeof outcomes)[number]['name'];

/** Returns the share of attempts that delivered, from 0 to 1. Null if there were none. */
export function successShare({
  attempts,
  delivered,
}: Pick<DeliveryCounts, 'attempts' | 'delivered'>) {
  return attempts === 0 ? null : delivered / attempts;
}

/** Returns a share such as `99.95 %`; never 100 % if anything failed, nor 0 % if anything succeeded. */
export function formatShare(share: number | null): string {
  if (share === null) return '–';
  const percent = share * 100;
  if (percent === 0 || percent === 100) return `${percent}%`;
  const digits = percent > 99 || percent < 1 ? 2 : 1;
  const shown = Math.min(Math.max(percent, 0.01), 99.99);
  return `${Number(shown.toFixed(digits))}%`;
}

export function formatMs(ms: number | undefined): string {
  return ms === undefined ? '–' : formatDuration(ms);
}

export function formatCount(count: number): string {
  return count.toLocaleString('en');
}

/** Returns the counts of a range as a sentence, for people who do not see the chart. */
export function sentenceOf(counts: Pick<DeliveryCounts, 'attempts' | Outcome>): string {
  if (counts.attempts === 0) return 'No attempts in this period.';
  const parts = outcomes
    .filter(({ name }) => counts[name] > 0)
    .map(({ name, label }) => `${formatCount(counts[name])} ${label}`);
  const noun = counts.attempts === 1 ? 'attempt' : 'attempts';
  return `${formatCount(counts.attempts)} ${noun}: ${parts.join(', ')}.`;
}

/** Returns a count that may be capped. */
export function formatCapped({
  count,
  countIsCapped,
}: {
  count: number;
  countIsCapped: boolean;
}): string {
  return countIsCapped ? `${formatCount(count)} or more` : formatCount(count);
}

const heldCountMax = 10_000;

/** Returns the number of deliveries that a webhook holds. The service counts only up to its cap. */
export function formatHeld(count: number): string {
  return formatCapped({ count, countIsCapped: count >= heldCountMax });
}

export function colorOf(outcome: Outcome): string {
  return outcomes.find(({ name }) => name === outcome)?.color ?? 'gray.6';
}

/** Returns the latest outcomes as words, such as "last 20: 18 delivered, 2 failed". */
export function trailText(latest: readonly Outcome[]): string {
  if (latest.length === 0) return 'none yet';
  const delivered = latest.filter((outcome) => outcome === 'delivered').length;
  const failed = latest.length - delivered;
  const parts = [
    ...(delivered > 0 ? [`${delivered} delivered`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  return `last ${latest.length}: ${parts.join(', ')}`;
}
