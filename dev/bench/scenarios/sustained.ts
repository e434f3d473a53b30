// Finds the highest rate at which the backlog does not grow.
import { isHeld, measureBacklog } from '../backlog.ts';
import { measure, type Measurement } from '../measure.ts';
import type { Scenario, ScenarioResult } from '../scenario.ts';
import type { Bench } from '../service.ts';
import { secondsOf, sized } from '../settings.ts';

const hooks = { matching: 1 };
// The ratio of a rate to the one tried before.
const step = 0.9;

interface Trial {
  measurement: Measurement;
  ratePerSecond: number;
  holds: boolean;
}

export const sustained: Scenario = {
  name: 'sustained',
  about: 'the highest rate at which the backlog does not grow over 60 s (--rate: only that rate)',
  isMain: true,
  run: findSustained,
};

/** Tries rates up to one that fails, then down: for a short while until one holds, then at full length. */
async function findSustained(bench: Bench): Promise<ScenarioResult> {
  const { settings } = bench;
  const seconds = secondsOf(settings, 60, 4);
  const isGiven = settings.ratePerSecond !== null;
  const lengths = isGiven ? [seconds] : [Math.max(3, seconds / 4), seconds];
  const triesMax = isGiven ? 1 : sized(settings, 12, 4);
  const notes: string[] = [];
  let hasFailed = false;
  let rate = settings.ratePerSecond ?? (await estimateMaximum(bench));
  for (let n = 1; ; n += 1) {
    const [length = seconds] = lengths;
    const trial = await runTrial(bench, rate, length);
    notes.push(describe(trial, length));
    bench.say(`  ${notes.at(-1) ?? ''}`);
    hasFailed ||= !trial.holds;
    // A first rate that holds is not the highest.
    if (trial.holds && (hasFailed || isGiven)) lengths.shift();
    else rate = Math.max(1, Math.floor(trial.holds ? rate / step : rate * step));
    const isOver = lengths.length === 0 || n === triesMax;
    if (isOver && lengths.length > 0) notes.push('No rate that was tried at full length held.');
    if (isOver) return { measurements: [trial.measurement], notes };
  }
}

/** Returns a rate to start from, over the throughput of concurrent callers. */
async function estimateMaximum(bench: Bench): Promise<number> {
  const { settings } = bench;
  const secondsMax = sized(settings, 10, 2);
  const load = { model: 'closed', callers: 32, calls: 20_000, secondsMax } as const;
  const { eventsPerSecond } = await measure(bench, { name: 'capacity', hooks, load });
  return Math.max(1, Math.floor(eventsPerSecond * 1.25));
}

async function runTrial(bench: Bench, ratePerSecond: number, seconds: number): Promise<Trial> {
  const load = { model: 'open', ratePerSecond, seconds } as const;
  const name = `sustained ${ratePerSecond}/s`;
  const { measurement, samples } = await measureBacklog(bench, { name, hooks, load });
  const isClean = measurement.dropped === 0 && Object.keys(measurement.failures).length === 0;
  const holds = isClean && isHeld(samples, { ratePerSecond, seconds });
  return { measurement, ratePerSecond, holds };
}

function describe({ measurement, ratePerSecond, holds }: Trial, seconds: number): string {
  return (
    `${ratePerSecond}/s for ${seconds} s ${holds ? 'held' : 'did not hold'}: the backlog grew by ` +
    `${measurement.backlogGrowth ?? '?'}, p99 ${measurement.receiptMs?.p99 ?? '?'} ms, ${measurement.dropped} dropped.`
  );
}
