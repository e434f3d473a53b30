// Whether the cost of an event depends on the number of stored events, or of webhooks that do not match.
import type { BenchApp } from '../app.ts';
import type { Bench } from '../bench.ts';
import { measure, type Measurement, type Plan } from '../measure.ts';
import type { Scenario, ScenarioResult } from '../scenario.ts';
import { openLoad } from '../settings.ts';
import { removeEvents, storeEvents } from '../stored-events.ts';

const toleranceShare = 0.15;

export const storedEvents: Scenario = {
  name: 'stored-events',
  about:
    'cost of an event with 1,000, 100,000 and 1,000,000 events stored; 15 a second for 30 s each',
  isMain: false,
  needs: 'any',
  async run(bench) {
    const { store } = bench.service;
    const counts = bench.settings.short ? [1_000, 5_000] : [1_000, 100_000, 1_000_000];
    let filled: BenchApp | null = null;
    const variant = (count: number) => ({
      name: `${count.toLocaleString('en')} stored`,
      hooks: { matching: 1 },
      async prepare(app: BenchApp) {
        if (filled !== null) await removeEvents(store, filled);
        await storeEvents(bench, { app, count });
        filled = app;
        // Not written out while the load runs.
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
    const variant = (count: number) => ({
      name: `${count} webhook${count === 1 ? '' : 's'}`,
      hooks: { matching: 1, idle: count - 1 },
    });
    return compare(bench, [1, 10, 100].map(variant));
  },
};

// Measures the first variant again at the end, so that a drift with time (a growing Temporal, a warming
// process) is also in the base of the comparison.
async function compare(
  bench: Bench,
  variants: readonly Omit<Plan, 'load'>[],
): Promise<ScenarioResult> {
  // Slow enough that every event gets a workflow of its own: batches would blur the cost.
  const load = openLoad(bench.settings, 15, 30);
  const measurements: Measurement[] = [];
  const again = variants.slice(0, 1).map((first) => ({ ...first, name: `${first.name}, again` }));
  for (const variant of [...variants, ...again]) {
    measurements.push(await measure(bench, { ...variant, load }));
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
