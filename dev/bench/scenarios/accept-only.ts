// Changes are accepted while Temporal is stopped, and delivered when it continues.
import { measure } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import type { Service } from '../service.ts';
import { openLoad, sized } from '../settings.ts';

export const acceptOnly: Scenario = {
  name: 'accept-only',
  about: '200 changes a second for 30 s with Temporal stopped, then the delivery of them all',
  isMain: true,
  async run(bench) {
    const { service, settings } = bench;
    const notes: string[] = [];
    try {
      const measurement = await measure(bench, {
        name: 'accept only',
        hooks: { matching: 1 },
        load: openLoad(settings, sized(settings, 200, 50), 30),
        async prepare() {
          // Not killed: the supervisor would restart it immediately.
          signalTemporal(service, 'SIGSTOP');
        },
        async afterLoad(ledger) {
          signalTemporal(service, 'SIGCONT');
          notes.push(
            `While Temporal stood, ${ledger.acknowledged} changes were accepted, ${ledger.deliveries} delivered.`,
          );
        },
      });
      notes.push('Change to receipt includes the time that Temporal stood.');
      return { measurements: [measurement], notes };
    } finally {
      signalTemporal(service, 'SIGCONT');
    }
  },
};

function signalTemporal(service: Service, signal: NodeJS.Signals): void {
  const pids = service.groups()['temporal'] ?? [];
  if (pids.length === 0) throw new Error('accept-only needs a Temporal that the bench started');
  for (const pid of pids) process.kill(pid, signal);
}
