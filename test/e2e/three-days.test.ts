// Three days of attempts in half a second. docs/testing.md shows this file.
import { defaultRetryScheduleMs } from '../../lib/webhooks/retry-schedule.ts';
import { insertEvent, insertWebhook } from '../support/fixtures.ts';
import { startReceiver } from '../support/receivers.ts';
import { expectWait, startSkippingDeliveries } from '../support/time-skipping.ts';

test('a receiver that always fails gets 12 attempts at the times of the schedule, then none', async () => {
  await using deliveries = await startSkippingDeliveries();
  await using receiver = await startReceiver((response) => response.writeHead(500).end('no'));
  const { _id: webhookUid } = await insertWebhook(deliveries, { url: receiver.url });
  const summary = await deliveries.deliver(await insertEvent(deliveries, [webhookUid]));
  expect(summary).toMatchObject({ deliveries: 1, delivered: 0, failedCount: 1 });
  expect(receiver.requests).toHaveLength(12);
  const delivery = await deliveries.store.deliveries.findOne({ webhookUid });
  expect(delivery).toMatchObject({ state: 'exhausted', attemptCount: 12, nextAttemptAt: null });
  const times = delivery?.attempts.map(({ at }) => at.getTime()) ?? [];
  for (const [n, waitMs] of defaultRetryScheduleMs.entries())
    expectWait((times[n + 1] ?? 0) - (times[n] ?? 0), waitMs);
});
