// Everything at once: many concurrent callers until all events are in.
import { measure } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { secondsOf, sized } from '../settings.ts';

export const burst: Scenario = {
  name: 'burst',
  about: '3,000 changes by 50 concurrent callers',
  isMain: true,
  needs: 'any',
  async run(bench) {
    const { settings } = bench;
    const load = {
      model: 'closed',
      callers: 50,
      calls: sized(settings, 3_000, 200),
      secondsMax: secondsOf(settings, 120, 20),
    } as const;
    const measurement = await measure(bench, { name: 'burst', hooks: { matching: 1 }, load });
    return { measurements: [measurement], notes: [] };
  },
};
