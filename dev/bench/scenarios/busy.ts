// What the light load is worth on a machine that others keep busy.
import { availableParallelism } from 'node:os';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { startHelper } from '../helper-process.ts';
import { measureBacklog } from '../measure-backlog.ts';
import type { Scenario } from '../scenario.ts';
import { openLoad } from '../settings.ts';

export const busy: Scenario = {
  name: 'busy',
  about: '20 changes a second for 60 s, beside as many busy loops as the machine has cores',
  isMain: false,
  needs: 'any',
  async run(bench) {
    const loops = new Disposal();
    const count = availableParallelism();
    try {
      const { measurement } = await measureBacklog(bench, {
        name: 'busy',
        hooks: { matching: 1 },
        load: openLoad(bench.settings, 20, 60),
        async prepare() {
          for (let n = 0; n < count; n += 1) loops.use(await startLoop());
        },
      });
      const { backlogGrowth = NaN } = measurement;
      const notes = [
        `Beside ${count} busy loops the backlog grew by ${backlogGrowth} over the load.`,
        'The processor time of the loops is not counted.',
      ];
      return { measurements: [measurement], notes };
    } finally {
      await loops[Symbol.asyncDispose]();
    }
  },
};

function startLoop(): Promise<AsyncDisposable> {
  return startHelper('busy-process.ts', { onMessage: () => undefined });
}
