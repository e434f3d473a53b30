import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from './service.ts';
import { nowMs } from './clock.ts';
import type { Ledger } from './ledger.ts';
import type { OpenLoad } from './load.ts';
import { measure, type Measurement, type Plan } from './measure.ts';

const sampleEveryMs = 250;
// The noise threshold: 2 % of the arrivals, and the arrivals of a quarter of a second.
const growthShareMax = 0.02;
const slackSeconds = 0.25;

/** Runs a plan and samples its backlog under load. */
export async function measureBacklog(
  bench: Bench,
  plan: Omit<Plan, 'during'> & { load: OpenLoad },
): Promise<{ measurement: Measurement; samples: number[] }> {
  let samples: number[] = [];
  const measurement: Measurement = await measure(bench, {
    ...plan,
    async during(ledger) {
      samples = await sampleBacklog(ledger, plan.load.seconds, bench.signal);
    },
  });
  measurement.backlogGrowth = Math.round(backlogGrowth(samples));
  return { measurement, samples };
}

// Samples four times per second for `seconds`.
async function sampleBacklog(
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

// Compares the second quarter of a run to the last. The first quarter fills the pipeline.
function backlogGrowth(samples: readonly number[]): number {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  return mean(samples.slice(-quarter)) - mean(samples.slice(quarter, 2 * quarter));
}

/** Checks whether the growth is within noise. */
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
