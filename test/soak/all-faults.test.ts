// Every process is killed or frozen, one after another, under changes of all kinds: no event is lost or unfinished,
// whoever makes the first attempts and whatever the receivers respond first.
import { dispatchLimits } from '../../lib/limits.ts';
import { type Fault, type FaultRunOptions, runWithFaults } from './fault-run.ts';
import { seededRandom, soakSeeds } from '../support/seeded-random.ts';
import { type Variant, variantOf } from './variant.ts';

const seconds = 240;
const roles = ['api', 'worker', 'temporal', 'mongodb'] as const;
/** Counted from the end of the last fault, or from the change if that is later. */
const firstAttemptMsMax = {
  api: 10_000,
  // The relay starts the workflows, and may have begun its longest pause.
  worker: 10_000 + dispatchLimits.relayBackoffMsMax,
};

/** How long a call may take while MongoDB is killed. */
const callMsMax = 15_000;
const isMongodbKilled = (seed: number): boolean => seed % 5 === 0;

/** Kills MongoDB every 8 s. */
function killsOfMongodb(): Fault[] {
  const count = Math.floor(seconds / 8);
  return Array.from({ length: count }, (_, n) => {
    return { atSeconds: 4 + 8 * n, role: 'mongodb', freezeMs: null };
  });
}

/** A fault every 5 to 10 s: a kill, or a freeze of 1 to 8 s. */
function faultsOf(seed: number): Fault[] {
  if (isMongodbKilled(seed)) return killsOfMongodb();
  const random = seededRandom(seed);
  const faults: Fault[] = [];
  for (let at = 5; at < seconds - 5; at += 5 + 5 * random()) {
    const role = roles[Math.floor(random() * roles.length)] ?? 'api';
    const freezeMs = random() < 0.5 ? null : Math.round(1_000 + 7_000 * random());
    faults.push({ atSeconds: at, role, freezeMs });
  }
  return faults;
}

const changesPerSecondOf = (seed: number, { refusesFirst }: Variant): number => {
  if (isMongodbKilled(seed)) return 25;
  // A retry is a separate activity, which costs far more than a first attempt.
  return refusesFirst ? 5 : 10;
};

const variantOfRun = (seed: number): Variant => variantOf(isMongodbKilled(seed) ? 1 : seed);

test.each(soakSeeds(10).map((seed) => ({ seed, variant: variantOfRun(seed) })))(
  'with processes killed or frozen for 240 s nothing is lost, untrue, late or 500 (seed $seed: $variant.name)',
  async ({ seed, variant }) => {
    const options: FaultRunOptions = {
      seed,
      variant,
      changesPerSecond: changesPerSecondOf(seed, variant),
      webhooks: variant.refusesFirst ? 3 : 9,
      seconds,
      faults: faultsOf(seed),
      settleMs: 180_000,
    };
    await runWithFaults(options, (result) => {
      expect(result).toMatchObject({ untrue: [], missingEvents: [], outOfOrder: [] });
      expect(result.committedEvents).toBeGreaterThan(500);
      expect(Object.keys(result.answers)).not.toContain('500');
      expect(result.latestAfterFaultMs).toBeLessThanOrEqual(firstAttemptMsMax[variant.sender]);
      if (isMongodbKilled(seed)) {
        expect(result.due).toBe(0);
        expect(Object.keys(result.answers)).not.toContain('broken');
        expect(result.slowestCallMs).toBeLessThanOrEqual(callMsMax);
      }
    });
  },
  600_000,
);
