// Measures losses, duplicates and delays when a process is killed under load.
import { setTimeout as delay } from 'node:timers/promises';
import { measure, type Measurement } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import type { Bench } from '../service.ts';
import { rateOf, secondsOf } from '../settings.ts';

const victims = ['api', 'worker', 'temporal', 'mongodb'] as const;

export const kill: Scenario = {
  name: 'kill',
  about:
    'api, worker, Temporal and MongoDB killed in turn, each in the middle of 30 s of 50 changes a second',
  isMain: false,
  killsServers: true,
  async run(bench) {
    const measurements: Measurement[] = [];
    for (const victim of victims) measurements.push(await killInTheMiddle(bench, victim));
    const notes = [
      'Failed calls are those the dead api had in hand or could not take; nobody was told that they succeeded.',
      'The processor time of a group that was killed is not known and left out.',
    ];
    return { measurements, notes };
  },
};

async function killInTheMiddle(bench: Bench, victim: string): Promise<Measurement> {
  const { settings, service, signal } = bench;
  const seconds = secondsOf(settings, 30, 6);
  return measure(bench, {
    name: `kill ${victim}`,
    hooks: { matching: 1 },
    load: { model: 'open', ratePerSecond: rateOf(settings, 50, 20), seconds },
    async during() {
      await delay((seconds * 1_000) / 2, undefined, { signal });
      const [pid] = service.groups()[victim] ?? [];
      if (pid === undefined) throw new Error(`${victim} is not a process that the bench started`);
      bench.say(`  killing the ${victim} (pid ${pid})`);
      process.kill(pid, 'SIGKILL');
    },
  });
}
