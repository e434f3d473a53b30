// A webhook that fails for days is paused. A success restarts the count of days.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../lib/platform/ids.ts';
import { dayMs, hourMs } from '../../../lib/platform/duration.ts';
import type { AuditDocument } from '../../../lib/model/audit-log.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import {
  deactivateGoneWebhook,
  type FailedAttempt,
  recordFailure,
} from '../../../lib/webhooks/webhook-health.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type SkippingDeliveries, startSkippingDeliveries } from '../../support/time-skipping.ts';

let deliveries: SkippingDeliveries;
const receivers: Receiver[] = [];

beforeAll(async () => {
  deliveries = await startSkippingDeliveries();
});

afterEach(async () => {
  for (const receiver of receivers.splice(0)) await receiver[Symbol.asyncDispose]();
});

afterAll(async () => {
  await deliveries?.[Symbol.asyncDispose]();
});

/** Returns a webhook whose receiver responds to its nth request (from 1) with `statusOf(n)`. */
async function webhookOf(
  statusOf: (n: number) => number,
  fields: Partial<WebhookDocument> = {},
): Promise<WebhookDocument> {
  let n = 0;
  const receiver = await startReceiver((response) => {
    n += 1;
    response.writeHead(statusOf(n)).end();
  });
  receivers.push(receiver);
  return insertWebhook(deliveries, { url: receiver.url, ...fields });
}

async function health({ _id }: WebhookDocument): Promise<WebhookDocument> {
  const webhook = await deliveries.store.webhooks.findOne({ _id });
  if (webhook === null) throw new Error('the webhook is gone');
  return webhook;
}

async function deactivationsOf({ _id }: WebhookDocument): Promise<AuditDocument[]> {
  const filter = { action: 'webhook.deactivated', 'target.uid': _id };
  return deliveries.store.auditLog.find(filter).toArray();
}

async function deliver(webhook: WebhookDocument): Promise<string> {
  const event = await insertEvent(deliveries, [webhook._id]);
  await deliveries.deliver(event);
  const delivery = await deliveries.store.deliveries.findOne({ eventId: event._id });
  return delivery?.state ?? 'absent';
}

function failureAt(at: Date): FailedAttempt {
  const { deactivateAfterMs } = deliveries.config;
  const answer = { status: 500, errorClass: 'status', detail: null } as const;
  const attempt = {
    eventId: newId('evt', at),
    event: 'agent.created',
    n: 12,
    at,
    ...answer,
  } as const;
  return { at, exhausted: true, blocked: false, deactivateAfterMs, attempt };
}

test('after five days of failures and an exhausted delivery the webhook is paused, and its deliveries are held', async () => {
  const webhook = await webhookOf(() => 500);
  expect(await deliver(webhook)).toBe('exhausted');
  const afterThreeDays = await health(webhook);
  expect(afterThreeDays).toMatchObject({ active: true, disabledReason: null });
  expect(afterThreeDays.failingSince).toBeInstanceOf(Date);
  expect(afterThreeDays.lastExhaustedAt).toBeInstanceOf(Date);

  expect(await deliver(webhook)).toBe('held');
  const paused = await health(webhook);
  expect(paused).toMatchObject({ active: false, disabledReason: 'failing' });
  expect(await deliver(webhook)).toBe('held');
  const since = afterThreeDays.failingSince?.getTime() ?? 0;
  expect(paused.updatedAt.getTime() - since).toBeGreaterThanOrEqual(5 * dayMs);
  expect(await deactivationsOf(webhook)).toEqual([
    expect.objectContaining({
      details: { disabledReason: 'failing' },
      actor: { kind: 'system', uid: null },
      createdAt: paused.updatedAt,
    }),
  ]);
});

test('a 410 pauses the webhook and is in the audit log, unless its owner has already paused it', async () => {
  const webhook = await webhookOf(() => 410);
  expect(await deliver(webhook)).toBe('exhausted');
  expect(await health(webhook)).toMatchObject({ active: false, disabledReason: 'gone' });
  expect(await deactivationsOf(webhook)).toMatchObject([{ details: { disabledReason: 'gone' } }]);

  const late = await webhookOf(() => 410);
  // The webhook is paused after the attempt has read it as active.
  await deliveries.store.webhooks.updateOne({ _id: late._id }, { $set: { active: false } });
  expect(await deactivateGoneWebhook(deliveries.store, late, failureAt(new Date()))).toBe(false);
  expect(await health(late)).toMatchObject({ active: false, disabledReason: null });
  expect(await deactivationsOf(late)).toEqual([]);
});

test.each([
  [1, true],
  [0, false],
])('%i ms before the end of the five days the webhook is active: %j', async (leftMs, active) => {
  const at = deliveries.ports.clock.now();
  const failingSince = new Date(at.getTime() - 5 * dayMs + leftMs);
  const webhook = await webhookOf(() => 500, { failingSince });
  const told = await recordFailure(deliveries.store, webhook, failureAt(at));
  expect(told).toBe(active ? 'deactivation_scheduled' : 'deactivated');
  expect(await health(webhook)).toMatchObject({ active, failingSince, lastExhaustedAt: at });
});

test('after a success the days are counted from the next failure', async () => {
  // Twelve attempts of the first delivery fail; the second's succeeds; those of the third fail.
  const webhook = await webhookOf((n) => (n === 13 ? 200 : 500));
  expect(await deliver(webhook)).toBe('exhausted');
  expect(await deliver(webhook)).toBe('delivered');
  expect(await health(webhook)).toMatchObject({ failingSince: null, lastExhaustedAt: null });
  expect(await deliver(webhook)).toBe('exhausted');
  expect(await health(webhook)).toMatchObject({ active: true, disabledReason: null });
});

test('a webhook that accepts most of a batch is not paused, whichever delivery is recorded first', async () => {
  let refused = '';
  const { deliveries: stored } = deliveries.store;
  const receiver = await startReceiver((response, { headers }) => {
    if (headers['webhook-id'] === refused) {
      response.writeHead(400).end();
      return;
    }
    // These attempts start before the failure is recorded, and end after it.
    void waitFor(async () => (await stored.findOne({ eventId: refused })) !== null).then(() =>
      response.end(),
    );
  });
  receivers.push(receiver);
  const webhook = await insertWebhook(deliveries, { url: receiver.url });
  for (let week = 0; week < 2; week += 1) {
    const at = new Date(await deliveries.environment.currentTimeMs());
    const batch = await Promise.all(
      Array.from({ length: 3 }, () => insertEvent(deliveries, [webhook._id], at)),
    );
    refused = batch[0]?._id ?? '';
    expect(await deliveries.deliver(...batch)).toMatchObject({ delivered: 2, failedCount: 1 });
    await deliveries.environment.sleep('7 days');
  }
  expect(await health(webhook)).toMatchObject({ active: true, disabledReason: null });
  expect(await deactivationsOf(webhook)).toEqual([]);
});

test.each([
  { fromFirstFailureMs: -1, active: false },
  { fromFirstFailureMs: 0, active: true },
  { fromFirstFailureMs: 6 * dayMs, active: true },
])(
  'a delivery that arrived $fromFirstFailureMs ms after the first failure leaves the webhook active: $active',
  async ({ fromFirstFailureMs, active }) => {
    const now = deliveries.ports.clock.now();
    const failingSince = new Date(now.getTime() - 7 * dayMs);
    const lastExhaustedAt = new Date(now.getTime() - 4 * dayMs);
    const failing = { failingSince, lastExhaustedAt, retryScheduleMs: [] };
    const webhook = await webhookOf(() => 500, failing);
    const at = new Date(failingSince.getTime() + fromFirstFailureMs);
    const arrived = { webhookUid: webhook._id, state: 'delivered', statusClass: '2xx' } as const;
    await deliveries.store.deliveries.insertOne(newDelivery(deliveries, at, arrived));
    expect(await deliver(webhook)).toBe('exhausted');
    const after = await health(webhook);
    expect(after).toMatchObject({ active, disabledReason: active ? null : 'failing' });
    // The last failure is then the first one counted.
    const isAnew = after.failingSince !== null && after.failingSince > failingSince;
    expect(isAnew).toBe(active);
    if (active) expect(after.lastExhaustedAt).toEqual(after.failingSince);
  },
);

test('without an exhausted delivery failures never pause the webhook', async () => {
  const schedule = [6 * dayMs, 6 * hourMs];
  const webhook = await webhookOf((n) => (n < 3 ? 500 : 200), { retryScheduleMs: schedule });
  expect(await deliver(webhook)).toBe('delivered');
  expect(await health(webhook)).toMatchObject({ active: true, failingSince: null });
});

test("a webhook's own schedule sets its number of attempts, and an empty one allows one attempt", async () => {
  const twice = await webhookOf(() => 500, { retryScheduleMs: [hourMs] });
  expect(await deliver(twice)).toBe('exhausted');
  const once = await webhookOf(() => 500, { retryScheduleMs: [] });
  expect(await deliver(once)).toBe('exhausted');
  const counts = await Promise.all(
    [twice, once].map(async ({ _id }) => {
      const delivery = await deliveries.store.deliveries.findOne({ webhookUid: _id });
      return delivery?.attemptCount;
    }),
  );
  expect(counts).toEqual([2, 1]);
});
