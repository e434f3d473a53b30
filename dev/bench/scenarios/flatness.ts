// Whether an event costs the same however much is stored, and however many webhooks do not want it.
import type { BenchApp, Hooks } from '../app.ts';
import type { Bench } from '../bench.ts';
import { measure, type Measurement } from '../measure.ts';
import type { Scenario, ScenarioResult } from '../scenario.ts';
import { rateOf, secondsOf } from '../settings.ts';
import { removeEvents, storeEvents } from '../stored-events.ts';

const toleranceShare = 0.15;

export const storedEvents: Scenario = {
  name: 'stored-events',
  about: 'cost of an event with 1,000, 10,000 and 100,000 events stored; 15 a second for 30 s each',
  isMain: false,
  needs: 'any',
  async run(bench) {
    const { store } = bench.service;
    const counts = bench.settings.short ? [1_000, 5_000] : [1_000, 10_000, 100_000];
    let filled: BenchApp | null = null;
    const variant = (count: number) => ({
      name: `${count.toLocaleString('en')} stored`,
      hooks: { matching: 1 },
      async prepare(app: BenchApp) {
        if (filled !== null) await removeEvents(store, filled);
        await storeEvents(bench, { app, count });
        filled = app;
        // Written out now, so that it is not while the load runs.
        await store.client.db('admin').command({ fsync: 1 });
      },
    });
    return compare(bench, counts.map(variant));
  },
};

export const idleWebhooks: Scenario = {
  name: 'idle-webhooks',
  about:
    'cost of an event with 1, 10 and 100 webhooks of which one matches; 15 a second for 30 s each',
  isMain: false,
  needs: 'any',
  async run(bench) {
    return compare(
      bench,
      [1, 10, 100].map((count) => ({
        name: `${count} webhook${count === 1 ? '' : 's'}`,
        hooks: { matching: 1, idle: count - 1 },
      })),
    );
  },
};

interface Variant {
  name: string;
  hooks: Hooks;
  prepare?: (app: BenchApp) => Promise<void>;
}

/**
 * Measures the variants, and the first one again at the end: what drifts with time (a growing
 * Temporal, a warming process) is then in what the others are compared with, too.
 */
async function compare(bench: Bench, variants: readonly Variant[]): Promise<ScenarioResult> {
  const { settings } = bench;
  const load = {
    model: 'open',
    // Below the pace at which every event gets a workflow of its own: batches would blur the cost.
    ratePerSecond: rateOf(settings, 15),
    seconds: secondsOf(settings, 30),
  } as const;
  const measurements: Measurement[] = [];
  for (const variant of variants) measurements.push(await measure(bench, { ...variant, load }));
  const [first] = variants;
  if (first) {
    const again = { ...first, name: `${first.name}, again`, load };
    measurements.push(await measure(bench, again));
  }
  return { measurements, notes: compareCosts(measurements) };
}

function compareCosts(measurements: readonly Measurement[]): string[] {
  const costs = measurements.map(cpuMsOf);
  const base = ((costs[0] ?? 0) + (costs.at(-1) ?? 0)) / 2;
  return measurements.map(({ name }, index) => {
    const cost = costs[index] ?? 0;
    const share = cost / base - 1;
    const verdict = Math.abs(share) <= toleranceShare ? 'within' : 'OUTSIDE';
    const percent = `${share >= 0 ? '+' : '−'}${Math.abs(share * 100).toFixed(1)} %`;
    return `${name}: ${cost.toFixed(2)} ms of processor time an event, ${percent}, ${verdict} ±15 %.`;
  });
}

function cpuMsOf({ cpuMsPerEvent }: Measurement): number {
  return ['api', 'worker', 'mongodb', 'temporal'].reduce(
    (sum, name) => sum + (cpuMsPerEvent[name] ?? 0),
    0,
  );
}
