import { measure } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { crowdLoad, openLoad, secondsOf, sized } from '../settings.ts';

export const fanOut: Scenario = {
  name: 'fan-out',
  about:
    'events to 10 webhooks, 5 a second for 30 s and 1,000 at once; to 1,000 webhooks, 10 in turn',
  isMain: true,
  async run(bench) {
    const { settings } = bench;
    const ten = await measure(bench, {
      name: '1 → 10',
      hooks: { matching: 10 },
      load: openLoad(settings, 5, 30),
    });
    const burst = await measure(bench, {
      name: '1 → 10, all at once',
      hooks: { matching: 10 },
      load: crowdLoad(settings, sized(settings, 1_000, 100)),
    });
    const manyHooks = sized(settings, 1_000, 100);
    const many = await measure(bench, {
      name: `1 → ${manyHooks}`,
      hooks: { matching: manyHooks },
      load: {
        model: 'single',
        calls: sized(settings, 10, 2),
        pauseMs: 500,
        secondsMax: secondsOf(settings, 120, 20),
      },
    });
    return { measurements: [ten, burst, many], notes: [] };
  },
};
