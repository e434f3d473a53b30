// Both kinds of changes concurrently, to receivers of which some are slow and some fail.
import type { BenchApp } from '../app.ts';
import type { Call, Caller } from '../calls.ts';
import { measureBacklog } from '../backlog.ts';
import type { Scenario } from '../scenario.ts';
import { openLoad } from '../settings.ts';

const ratePerSecond = 220;
// One in eleven: 20 changes of agents and 200 reported changes per second.
const agentChangeEvery = 11;
// 22 events per second keep 27 requests waiting: slow, but within the 32 permits of a webhook.
const slowMs = 1_200;
// 2 %, including retries.
const refuseEvery = 50;
// The first wait of the service's own schedule, repeated. Its longer waits would only prolong the run.
const retryScheduleMs = Array<number>(5).fill(5_000);

export const mixed: Scenario = {
  name: 'mixed',
  about:
    '20 changes of agents and 200 reported changes a second for 120 s, each to one of 10 webhooks: one slow, nine with 2 % of errors',
  isMain: false,
  async run(bench) {
    const { measurement } = await measureBacklog(bench, {
      name: 'mixed',
      hooks: { matching: 10, byTenant: true, slow: 1, slowMs, refuseEvery, retryScheduleMs },
      load: openLoad(bench.settings, ratePerSecond, 120),
      call: mixedCalls,
    });
    const notes = [
      'change to receipt is of the first attempts at the nine quick webhooks; the slow one has its own row.',
      `${measurement.refused} requests were answered with 500, and their deliveries retried; ` +
        `${measurement.lost} deliveries were lost, ${measurement.duplicates} came again after they had been taken.`,
      'events/s counts up to the last retry.',
    ];
    return { measurements: [measurement], notes };
  },
};

function mixedCalls(caller: Caller, app: BenchApp): Call {
  const changeAgent = caller.changing(app, 'agents');
  const reportChange = caller.changing(app, 'changes');
  return (n) => (n % agentChangeEvery === 0 ? changeAgent(n) : reportChange(n));
}
