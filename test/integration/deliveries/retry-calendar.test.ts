// The whole retry calendar on the time-skipping server: three days in milliseconds.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ServerResponse } from 'node:http';
import { defaultRetryScheduleMs } from '../../../lib/deliveries/retry-schedule.ts';
import { hourMs } from '../../../lib/platform/duration.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import { insertEvent, insertWebhook } from '../../support/fixtures.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import {
  expectWait,
  type SkippingDeliveries,
  startSkippingDeliveries,
} from '../../support/time-skipping.ts';

let deliveries: SkippingDeliveries;
const receivers: Receiver[] = [];

beforeAll(async () => {
  deliveries = await startSkippingDeliveries();
});

afterEach(async () => {
  deliveries.beforeActivity = () => undefined;
  for (const receiver of receivers.splice(0)) await receiver[Symbol.asyncDispose]();
});

afterAll(async () => {
  await deliveries?.[Symbol.asyncDispose]();
});

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

function waitsOf(delivery: DeliveryDocument): number[] {
  const times = delivery.attempts.map((attempt) => attempt.at.getTime());
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

test('a receiver that always fails gets 12 attempts at the times of the schedule, then none', async () => {
  const receiver = await receiverOf((response) => response.writeHead(500).end('no'));
  const webhook = await insertWebhook(deliveries, { url: receiver.url });
  const summary = await deliveries.deliver(await insertEvent(deliveries, [webhook._id]));
  expect(summary).toMatchObject({ deliveries: 1, delivered: 0, failedCount: 1 });
  const delivery = await deliveryTo(webhook._id);
  expect(delivery).toMatchObject({ state: 'exhausted', attemptCount: 12, nextAttemptAt: null });
  expect(receiver.requests).toHaveLength(12);
  const waits = waitsOf(delivery);
  expect(waits).toHaveLength(defaultRetryScheduleMs.length);
  for (const [index, waitMs] of waits.entries()) expectWait(waitMs, defaultRetryScheduleMs[index]);
});

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

test('Retry-After of a 429 delays the next attempt, up to an hour and never before the schedule', async () => {
  const asked = ['1800', '86400', '1'];
  const receiver = await receiverOf((response, n) => {
    const retryAfter = asked[n - 1];
    if (retryAfter === undefined) response.writeHead(200).end();
    else response.writeHead(429, { 'retry-after': retryAfter }).end();
  });
  const webhook = await insertWebhook(deliveries, { url: receiver.url });
  await deliveries.deliver(await insertEvent(deliveries, [webhook._id]));
  const [first, second, third] = waitsOf(await deliveryTo(webhook._id));
  expectWait(first, hourMs / 2);
  expectWait(second, hourMs);
  expectWait(third, defaultRetryScheduleMs[2]);
});

test('a 410 exhausts the delivery immediately and pauses the webhook as gone', async () => {
  const receiver = await receiverOf((response) => response.writeHead(410).end());
  const webhook = await insertWebhook(deliveries, { url: receiver.url });
  await deliveries.deliver(await insertEvent(deliveries, [webhook._id]));
  expect(await deliveryTo(webhook._id)).toMatchObject({ state: 'exhausted', attemptCount: 1 });
  const after = await deliveries.store.webhooks.findOne({ _id: webhook._id });
  expect(after).toMatchObject({ active: false, disabledReason: 'gone' });
  const row = await deliveries.store.auditLog.findOne({ 'target.uid': webhook._id });
  expect(row).toMatchObject({ action: 'webhook.deactivated', details: { disabledReason: 'gone' } });
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

test('deleting the webhook cancels its waiting delivery; pausing it holds the delivery', async () => {
  const receiver = await receiverOf((response) => response.writeHead(500).end());
  const deleted = await insertWebhook(deliveries, { url: `${receiver.url}/deleted` });
  const paused = await insertWebhook(deliveries, { url: `${receiver.url}/paused` });
  deliveries.beforeActivity = async (name) => {
    if (name !== 'retryDelivery') return;
    await deliveries.store.webhooks.deleteOne({ _id: deleted._id });
    await deliveries.store.webhooks.updateOne({ _id: paused._id }, { $set: { active: false } });
  };
  const event = await insertEvent(deliveries, [deleted._id, paused._id]);
  const summary = await deliveries.deliver(event);
  expect(summary).toMatchObject({ deliveries: 2, cancelled: 1, held: 1, failedCount: 0 });
  expect(receiver.requests).toHaveLength(2);
  expect((await deliveryTo(deleted._id)).state).toBe('cancelled');
  expect((await deliveryTo(paused._id)).state).toBe('held');
});

test('an address that the guard rejects is blocked, without a connection and without a retry', async () => {
  const webhook = await insertWebhook(deliveries, { url: 'http://10.1.2.3/hook' });
  const summary = await deliveries.deliver(await insertEvent(deliveries, [webhook._id]));
  expect(summary.failedCount).toBe(1);
  expect(await deliveryTo(webhook._id)).toMatchObject({ state: 'blocked', attemptCount: 1 });
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
  const shown = summary.shown.map(({ eventId, webhookUid, state, attempts = [] }) => [
    eventId,
    webhookUid,
    state,
    attempts.map(({ n, status }) => `${n}: ${status}`).join(),
  ]);
  const failing = Array.from({ length: 12 }, (_none, index) => `${index + 1}: 500`).join();
  // The failed one first, then the one that was retried.
  expect(shown).toEqual([
    [events[1]?._id, toBad?._id, 'exhausted', failing],
    [events[0]?._id, toFlaky?._id, 'delivered', '1: 500,2: 200'],
    [events[0]?._id, toGood?._id, 'delivered', '1: 200'],
    [events[2]?._id, toGood?._id, 'delivered', '1: 200'],
  ]);
  expect(good.requests).toHaveLength(2);
  expect(flaky.requests).toHaveLength(2);
  expect(bad.requests).toHaveLength(12);
});
