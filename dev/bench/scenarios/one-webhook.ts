// The plain loads: all changes go to one webhook.
import { measure } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { crowdLoad, openLoad, secondsOf, sized } from '../settings.ts';

export const idle: Scenario = {
  name: 'idle',
  about: '200 changes, each 100 ms after the one before was received',
  isMain: true,
  async run(bench) {
    const { settings } = bench;
    const calls = sized(settings, 200, 15);
    const secondsMax = secondsOf(settings, 90, 15);
    const load = { model: 'single', calls, pauseMs: 100, secondsMax } as const;
    const measurement = await measure(bench, { name: 'idle', hooks: { matching: 1 }, load });
    return { measurements: [measurement], notes: [] };
  },
};

export const light: Scenario = {
  name: 'light',
  about: '20 changes a second for 60 s',
  isMain: true,
  async run(bench) {
    const load = openLoad(bench.settings, 20, 60);
    const measurement = await measure(bench, { name: 'light', hooks: { matching: 1 }, load });
    return { measurements: [measurement], notes: [] };
  },
};

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
