import { backlogGrowth, sampleBacklog } from './backlog.ts';
import type { Bench } from './bench.ts';
import type { OpenLoad } from './load.ts';
import { measure, type Measurement, type Plan } from './measure.ts';

/** Runs a plan, and also returns samples of its backlog during the load. */
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
