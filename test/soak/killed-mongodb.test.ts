// mongod is killed repeatedly under load, with its data on disk: no change is lost and no caller waits for long.
import { expect, test } from 'vitest';
import { type FaultRunOptions, runWithFaults } from './fault-run.ts';
import { soakSeeds } from './seeded-random.ts';
import { variantOf } from './variant.ts';

const killsAtSeconds = [4, 12, 20, 28];
const callMsMax = 15_000;

test.each(soakSeeds(20))(
  'with mongod killed four times in 32 s nothing is lost, late or 500 (seed %i)',
  async (seed) => {
    const options: FaultRunOptions = {
      seed,
      variant: variantOf(1),
      changesPerSecond: 25,
      seconds: 32,
      webhooks: 8,
      faults: killsAtSeconds.map((atSeconds) => ({ atSeconds, role: 'mongodb', freezeMs: null })),
      settleMs: 60_000,
    };
    await runWithFaults(options, (result) => {
      expect(result).toMatchObject({ untrue: [], due: 0, missingEvents: [], outOfOrder: [] });
      expect(result.committedEvents).toBeGreaterThan(300);
      expect(Object.keys(result.answers)).not.toContain('500');
      expect(Object.keys(result.answers)).not.toContain('broken');
      expect(result.slowestCallMs).toBeLessThanOrEqual(callMsMax);
    });
  },
  300_000,
);
