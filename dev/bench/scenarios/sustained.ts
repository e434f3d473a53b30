// Finds the highest rate at which the backlog does not grow.
import { isHeld, measureBacklog } from '../backlog.ts';
import type { Bench } from '../bench.ts';
import { measure, type Measurement } from '../measure.ts';
import type { Scenario, ScenarioResult } from '../scenario.ts';
import { secondsOf, sized } from '../settings.ts';

const hooks = { matching: 1 };
const probesMax = 5;
const confirmationsMax = 4;
// The maximum ratio of two rates that count as equal.
const closeEnough = 1.1;

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

async function findSustained(bench: Bench): Promise<ScenarioResult> {
  const { settings } = bench;
  const seconds = secondsOf(settings, 60, 4);
  const notes: string[] = [];
  const tryRate = async (ratePerSecond: number, trialSeconds: number): Promise<Trial> => {
    const trial = await runTrial(bench, ratePerSecond, trialSeconds);
    notes.push(describe(trial, trialSeconds));
    bench.say(`  ${notes.at(-1) ?? ''}`);
    return trial;
  };
  let ratePerSecond =
    settings.ratePerSecond ??
    (await search(await estimateCapacity(bench), {
      probes: sized(settings, probesMax, 2),
      probe: (rate) => tryRate(rate, Math.max(3, seconds / 4)),
    }));
  let confirmed = await tryRate(ratePerSecond, seconds);
  const triesMax = settings.ratePerSecond === null ? confirmationsMax : 1;
  for (let n = 1; n < triesMax && !confirmed.holds; n += 1) {
    ratePerSecond = Math.max(1, Math.floor(ratePerSecond * 0.9));
    confirmed = await tryRate(ratePerSecond, seconds);
  }
  if (!confirmed.holds) notes.push('No rate that was tried at full length held.');
  return { measurements: [confirmed.measurement], notes };
}

/** Returns the highest rate that holds for a short while, or the lowest one tried. */
async function search(
  startPerSecond: number,
  { probes, probe }: { probes: number; probe: (ratePerSecond: number) => Promise<Trial> },
): Promise<number> {
  let [highestHeld, lowestFailed] = [0, Infinity];
  let rate = startPerSecond;
  for (let n = 0; n < probes && lowestFailed / Math.max(1, highestHeld) > closeEnough; n += 1) {
    const { holds } = await probe(rate);
    if (holds) highestHeld = rate;
    else lowestFailed = rate;
    if (highestHeld === 0) rate *= 0.7;
    else if (lowestFailed === Infinity) rate *= 1.25;
    else rate = (highestHeld + lowestFailed) / 2;
    rate = Math.max(1, Math.floor(rate));
  }
  return highestHeld || rate;
}

/** Returns a rate to start from: the throughput of concurrent callers. */
async function estimateCapacity(bench: Bench): Promise<number> {
  const { settings } = bench;
  const secondsMax = sized(settings, 10, 2);
  const load = { model: 'closed', callers: 32, calls: 20_000, secondsMax } as const;
  const { eventsPerSecond } = await measure(bench, { name: 'capacity', hooks, load });
  return Math.max(1, Math.floor(eventsPerSecond * 0.9));
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
