// The plain loads: all changes go to one webhook.
import type { Load } from '../load.ts';
import { measure } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { crowdLoad, openLoad, secondsOf, type Settings, sized } from '../settings.ts';

function oneWebhook(name: string, about: string, loadOf: (settings: Settings) => Load): Scenario {
  return {
    name,
    about,
    isMain: true,
    async run(bench) {
      const plan = { name, hooks: { matching: 1 }, load: loadOf(bench.settings) };
      return { measurements: [await measure(bench, plan)], notes: [] };
    },
  };
}

export const idle = oneWebhook(
  'idle',
  '200 changes, each 100 ms after the one before was received',
  (settings) => ({
    model: 'single',
    calls: sized(settings, 200, 15),
    pauseMs: 100,
    secondsMax: secondsOf(settings, 90, 15),
  }),
);

export const light = oneWebhook('light', '20 changes a second for 60 s', (settings) =>
  openLoad(settings, 20, 60),
);

export const burst = oneWebhook('burst', '3,000 changes by 50 concurrent callers', (settings) =>
  crowdLoad(settings, sized(settings, 3_000, 200)),
);
