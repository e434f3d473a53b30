// Whether one slow webhook of ten delays the other nine.
import { measure } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { openLoad } from '../settings.ts';

export const slowReceiver: Scenario = {
  name: 'slow-receiver',
  about: '5 changes a second for 60 s to 10 webhooks, of which one takes 4 s to answer',
  isMain: true,
  needs: 'any',
  async run(bench) {
    const measurement = await measure(bench, {
      name: '1 slow of 10',
      hooks: { matching: 10, slow: 1, slowMs: 4_000 },
      load: openLoad(bench.settings, 5, 60),
    });
    const note = 'change to receipt is of the nine quick webhooks; the slow one has its own row.';
    return { measurements: [measurement], notes: [note] };
  },
};
