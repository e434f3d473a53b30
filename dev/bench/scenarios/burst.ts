import { measure } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { crowdLoad, sized } from '../settings.ts';

export const burst: Scenario = {
  name: 'burst',
  about: '3,000 changes by 50 concurrent callers',
  isMain: true,
  async run(bench) {
    const load = crowdLoad(bench.settings, sized(bench.settings, 3_000, 200));
    const measurement = await measure(bench, { name: 'burst', hooks: { matching: 1 }, load });
    return { measurements: [measurement], notes: [] };
  },
};
