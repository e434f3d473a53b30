// Whether a rate is sustained: the backlog of a run, sampled, and whether it grew.
import { setTimeout as delay } from 'node:timers/promises';
import { nowMs } from './clock.ts';
import type { Ledger } from './ledger.ts';

const sampleEveryMs = 250;
// Growth that noise explains: two in a hundred arrivals, and a quarter of a second's arrivals.
const growthShareMax = 0.02;
const slackSeconds = 0.25;

/** Samples the backlog four times a second for `seconds`. */
export async function sampleBacklog(
  ledger: Ledger,
  seconds: number,
  signal: AbortSignal,
): Promise<number[]> {
  const samples: number[] = [];
  const endMs = nowMs() + seconds * 1_000;
  while (nowMs() < endMs) {
    await delay(sampleEveryMs, undefined, { signal });
    samples.push(ledger.backlog);
  }
  return samples;
}

/**
 * Gives by how much the backlog grew from the second quarter of a run to the last: the first
 * quarter fills the pipeline, which is no growth.
 */
export function backlogGrowth(samples: readonly number[]): number {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  return mean(samples.slice(-quarter)) - mean(samples.slice(quarter, 2 * quarter));
}

/** Tells whether that growth is within what noise explains. */
export function isHeld(
  samples: readonly number[],
  { ratePerSecond, seconds }: { ratePerSecond: number; seconds: number },
): boolean {
  const allowed = ratePerSecond * ((growthShareMax * seconds) / 2 + slackSeconds);
  return backlogGrowth(samples) <= allowed;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
