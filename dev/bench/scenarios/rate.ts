// Whether a webhook with a rate gets it whole, and costs others nothing while deliveries wait for it.
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchApp, registerWebhook } from '../app.ts';
import { compareBeside } from '../beside.ts';
import type { Bench } from '../bench.ts';
import { measure } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { openLoad, sized } from '../settings.ts';

const ratePerSecond = 5;
const callers = 25;
const settleMs = 5_000;

export const rate: Scenario = {
  name: 'rate',
  about:
    '100 changes at once at 5 a second; then a webhook alone, and beside 1,000 that wait for a rate',
  isMain: false,
  needs: 'any',
  async run(bench) {
    const calls = sized(bench.settings, 100, 20);
    const burst = await measure(bench, {
      name: `${calls} at once, ${ratePerSecond} a second`,
      hooks: { matching: 1, ratePerSecond },
      load: { model: 'closed', callers, calls, secondsMax: 20 },
    });
    const load = openLoad(bench.settings, 20, 30);
    const alone = await measure(bench, { name: 'alone', hooks: { matching: 1 }, load });
    const beside = await measure(bench, {
      name: 'beside those that wait',
      hooks: { matching: 1 },
      load,
      prepare: (app) => pileUp(bench, app, sized(bench.settings, 1_000, 100)),
    });
    const { note, missed } = compareBeside({
      what: 'the webhook without a rate',
      aloneMs: alone.receiptMs?.p99,
      besideMs: beside.receiptMs?.p99,
    });
    return { measurements: [burst, alone, beside], notes: [note], missed };
  },
};

// Reports changes of another kind to a webhook with a rate, which then wait for minutes.
async function pileUp(
  { service, receiver, signal }: Bench,
  app: BenchApp,
  count: number,
): Promise<void> {
  const url = receiver.urlOf('rated');
  await registerWebhook(service, app, { url, entities: ['context'], ratePerSecond });
  let left = count;
  const report = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const data = { uid: `ctx_${left}`, externalTenantId: 'tenant-1' };
      const answer = await fetch(`${service.apiUrl}/api/v1/appuid/${app.appUid}/changes`, {
        method: 'POST',
        headers: { 'x-api-key': app.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ event: 'context.updated', data }),
      });
      if (!answer.ok) throw new Error(`a change was not taken: ${answer.status}`);
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: callers }, report));
  // What follows is beside those that wait, not beside the burst that they were.
  await delay(settleMs, undefined, { signal });
}
