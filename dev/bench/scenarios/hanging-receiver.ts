// Measures whether a webhook is delayed by another one that never responds in time.
import { compareBeside } from '../beside.ts';
import { measure } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { openLoad } from '../settings.ts';

// Just over the 5 s of an attempt, so that each one times out.
const hangMs = 5_500;
// Two early retries, which hang as well; the service's own schedule takes three days.
const retryScheduleMs = [5_000, 5_000];

export const hangingReceiver: Scenario = {
  name: 'hanging-receiver',
  about: '200 changes to a webhook, 10 a second: alone, then beside a webhook that hangs for 5 s',
  isMain: true,
  async run(bench) {
    const load = openLoad(bench.settings, 10, 20);
    const alone = await measure(bench, { name: 'alone', hooks: { matching: 1 }, load });
    const beside = await measure(bench, {
      name: 'beside one that hangs',
      hooks: { matching: 2, slow: 1, slowMs: hangMs, retryScheduleMs },
      load,
    });
    const { note, missed } = compareBeside({
      what: 'the webhook that answers, beside one that hangs',
      aloneMs: alone.receiptMs?.p99,
      besideMs: beside.receiptMs?.p99,
    });
    const notes = [
      'change to receipt is of the webhook that answers; the one that hangs has its own row.',
      note,
    ];
    return { measurements: [alone, beside], notes, missed };
  },
};
