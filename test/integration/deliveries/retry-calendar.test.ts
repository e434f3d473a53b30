// Retries on the time-skipping server, days in milliseconds; and a webhook that fails for days is paused.
import type { ServerResponse } from 'node:http';
import { dayMs } from '../../../lib/platform/duration.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { type SkippingDeliveries, startSkippingDeliveries } from '../../support/time-skipping.ts';
import { newId } from '../../../lib/platform/ids.ts';
import type { AuditDocument } from '../../../lib/model/audit-log.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { deactivateGoneWebhook, type FailedAttempt } from '../../../lib/webhooks/webhook-health.ts';
import { waitFor } from '../../support/wait-for.ts';

let deliveries: SkippingDeliveries;
const receivers: Receiver[] = [];

beforeAll(async () => {
  deliveries = await startSkippingDeliveries();
});

afterEach(async () => {
  deliveries.beforeActivity = () => undefined;
  for (const receiver of receivers.splice(0)) await receiver[Symbol.asyncDispose]();
});

afterAll(() => deliveries?.[Symbol.asyncDispose]());

/** Starts a receiver that responds to its nth request (from 1) with `answer`. */
async function receiverOf(
  answer: (response: ServerResponse, n: number) => void,
): Promise<Receiver> {
  let n = 0;
  const receiver = await startReceiver((response) => {
    n += 1;
    answer(response, n);
  });
  receivers.push(receiver);
  return receiver;
}

async function deliveryTo(webhookUid: string): Promise<DeliveryDocument> {
  const delivery = await deliveries.store.deliveries.findOne({ webhookUid });
  if (delivery === null) throw new Error(`nothing is recorded for ${webhookUid}`);
  return delivery;
}

test('every attempt of an event sends the same bytes and id, with its own number and timestamp', async () => {
  const receiver = await receiverOf((response, n) => response.writeHead(n < 4 ? 503 : 204).end());
  const webhook = await insertWebhook(deliveries, { url: receiver.url });
  const event = await insertEvent(deliveries, [webhook._id]);
  const summary = await deliveries.deliver(event);
  expect(summary).toMatchObject({ delivered: 1, failedCount: 0 });
  expect(receiver.requests).toHaveLength(4);
  for (const [index, request] of receiver.requests.entries()) {
    expect(request.body.toString('utf8')).toBe(event.body);
    expect(request.headers['x-webhook-event-id']).toBe(event._id);
    expect(request.headers['x-webhook-attempt']).toBe(String(index + 1));
    expect(request.headers['x-webhook-attempts-left']).toBe(String(11 - index));
  }
  const times = receiver.requests.map((request) => String(request.headers['webhook-timestamp']));
  expect(new Set(times).size).toBe(4);
  const delivery = await deliveryTo(webhook._id);
  expect(delivery.attempts.map((attempt) => attempt.status)).toEqual([503, 503, 503, 204]);
  expect(delivery.attempts.map((attempt) => attempt.trigger)).toEqual([
    'event',
    'retry',
    'retry',
    'retry',
  ]);
});

test("an attempt goes to the webhook's current URL", async () => {
  const old = await receiverOf((response) => response.writeHead(500).end());
  const moved = await receiverOf((response) => response.writeHead(200).end());
  const webhook = await insertWebhook(deliveries, { url: old.url });
  deliveries.beforeActivity = async (name) => {
    if (name !== 'retryDelivery') return;
    await deliveries.store.webhooks.updateOne({ _id: webhook._id }, { $set: { url: moved.url } });
  };
  await deliveries.deliver(await insertEvent(deliveries, [webhook._id]));
  expect(old.requests).toHaveLength(1);
  expect(moved.requests).toHaveLength(1);
});

test('faults of the service do not count as attempts', async () => {
  const receiver = await receiverOf((response, n) => response.writeHead(n === 1 ? 500 : 200).end());
  const webhook = await insertWebhook(deliveries, { url: receiver.url });
  let faults = 0;
  deliveries.beforeActivity = () => {
    faults += 1;
    if (faults % 3 !== 0) throw new Error('the database is away');
  };
  const summary = await deliveries.deliver(await insertEvent(deliveries, [webhook._id]));
  expect(summary.delivered).toBe(1);
  expect((await deliveryTo(webhook._id)).attemptCount).toBe(2);
  expect(receiver.requests).toHaveLength(2);
  expect(faults).toBeGreaterThan(4);
});

test('of several events in one workflow only the failing deliveries are retried', async () => {
  let calls = 0;
  const good = await receiverOf((response) => response.writeHead(200).end());
  const flaky = await receiverOf((response) => {
    calls += 1;
    response.writeHead(calls === 1 ? 500 : 200).end();
  });
  const bad = await receiverOf((response) => response.writeHead(500).end());
  const [toGood, toFlaky, toBad] = await Promise.all(
    [good, flaky, bad].map(({ url }) => insertWebhook(deliveries, { url })),
  );
  const webhookUids = [toGood, toFlaky].map((webhook) => webhook?._id ?? '');
  const events = [
    await insertEvent(deliveries, webhookUids),
    await insertEvent(deliveries, [toBad?._id ?? '']),
    await insertEvent(deliveries, [toGood?._id ?? '']),
  ];
  const summary = await deliveries.deliver(...events);
  expect(summary).toMatchObject({ deliveries: 4, delivered: 3, failedCount: 1 });
  // The failed one first, then the one that was retried.
  const [failed, retried] = summary.shown;
  expect(failed).toMatchObject({ webhookUid: toBad?._id, state: 'exhausted' });
  expect(retried).toMatchObject({ webhookUid: toFlaky?._id, state: 'delivered' });
  expect(good.requests).toHaveLength(2);
  expect(flaky.requests).toHaveLength(2);
  expect(bad.requests).toHaveLength(12);
});

/** Returns a webhook whose receiver responds to its nth request (from 1) with `statusOf(n)`. */
async function webhookOf(
  statusOf: (n: number) => number,
  fields: Partial<WebhookDocument> = {},
): Promise<WebhookDocument> {
  const receiver = await receiverOf((response, n) => response.writeHead(statusOf(n)).end());
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
