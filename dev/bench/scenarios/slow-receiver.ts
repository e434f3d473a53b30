// One of ten webhooks is slow to answer: does it hold up the other nine?
import { measure } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { rateOf, secondsOf } from '../settings.ts';

const slowMs = 4_000;

export const slowReceiver: Scenario = {
  name: 'slow-receiver',
  about: '5 changes a second for 60 s to 10 webhooks, of which one takes 4 s to answer',
  isMain: true,
  needs: 'any',
  async run(bench) {
    const { settings } = bench;
    const measurement = await measure(bench, {
      name: '1 slow of 10',
      hooks: { matching: 10, slow: 1, slowMs },
      load: {
        model: 'open',
        ratePerSecond: rateOf(settings, 5),
        seconds: secondsOf(settings, 60),
      },
    });
    const notes = [
      'change to receipt is of the nine quick webhooks; the slow one has its own row.',
    ];
    return { measurements: [measurement], notes };
  },
};
