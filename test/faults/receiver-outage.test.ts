// A receiver that is down for a day, and one whose responses are lost: every event arrives, with few repeats.
import { defaultRetryScheduleMs } from '../../lib/webhooks/retry-schedule.ts';
import { hourMs } from '../../lib/platform/duration.ts';
import type { DeliveryDocument } from '../../lib/model/delivery.ts';
import type { DeliverySummary } from '../../lib/temporal/messages.ts';
import { insertEvent, insertWebhook } from '../support/fixtures.ts';
import {
  type Answering,
  type ReceivedRequest,
  type Receiver,
  startReceiver,
} from '../support/receivers.ts';
import {
  expectWait,
  type SkippingDeliveries,
  startSkippingDeliveries,
} from '../support/time-skipping.ts';

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

async function receiverOf(answer: Answering): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  return receiver;
}

async function deliveryOf(eventId: string): Promise<DeliveryDocument> {
  const delivery = await deliveries.store.deliveries.findOne({ eventId });
  if (delivery === null) throw new Error(`nothing is recorded of ${eventId}`);
  return delivery;
}

const isOf =
  (eventId: string) =>
  ({ headers }: ReceivedRequest): boolean =>
    headers['x-webhook-event-id'] === eventId;

test('after a day of refusals every event arrives once, at the first attempt that its schedule allows', async () => {
  const { environment, ports } = deliveries;
  const upAtMs = (await environment.currentTimeMs()) + 24 * hourMs;
  const taken: ReceivedRequest[] = [];
  const receiver = await receiverOf((response, request) => {
    const isUp = ports.clock.now().getTime() >= upAtMs;
    if (isUp) taken.push(request);
    response.writeHead(isUp ? 200 : 503).end();
  });
  const webhook = await insertWebhook(deliveries, { url: receiver.url });
  const eventIds: string[] = [];
  const ends: (() => Promise<DeliverySummary>)[] = [];
  let atHour = 0;
  for (const hour of [0, 1, 6, 13, 23.9, 24.1]) {
    await environment.sleep((hour - atHour) * hourMs);
    atHour = hour;
    const event = await insertEvent(deliveries, [webhook._id]);
    eventIds.push(event._id);
    ends.push(await deliveries.start(event));
  }
  // One after another: only one waiter at a time may skip the server's clock.
  for (const end of ends) expect(await end()).toMatchObject({ delivered: 1, failedCount: 0 });

  for (const eventId of eventIds) {
    const { attempts } = await deliveryOf(eventId);
    expect(taken.filter(isOf(eventId))).toHaveLength(1);
    expect(attempts.at(-1)?.at.getTime()).toBeGreaterThanOrEqual(upAtMs);
    // All attempts before the last were made while the receiver was down.
    for (const [index, refused] of attempts.slice(0, -1).entries()) {
      expect(refused).toMatchObject({ status: 503, errorClass: 'status' });
      const refusedAtMs = refused.at.getTime();
      expect(refusedAtMs).toBeLessThan(upAtMs);
      const waitMs = (attempts[index + 1]?.at.getTime() ?? 0) - refusedAtMs;
      expectWait(waitMs, defaultRetryScheduleMs[index]);
    }
  }
});

test('an event whose response is lost arrives once more, as its next attempt, and no other event does', async () => {
  let count = 0;
  const receiver = await receiverOf((response) => {
    count += 1;
    if (count === 1) response.destroy();
    else response.writeHead(200).end();
  });
  const webhook = await insertWebhook(deliveries, { url: receiver.url });
  const events = [
    await insertEvent(deliveries, [webhook._id]),
    await insertEvent(deliveries, [webhook._id]),
  ];
  for (const event of events) {
    expect(await deliveries.deliver(event)).toMatchObject({ delivered: 1, failedCount: 0 });
  }
  const [cut, whole] = await Promise.all(events.map((event) => deliveryOf(event._id)));
  expect(cut?.attempts.map((attempt) => attempt.errorClass)).toEqual(['reset', null]);
  expect(whole?.attempts.map((attempt) => attempt.errorClass)).toEqual([null]);
  const arrived = events.map((event) => receiver.requests.filter(isOf(event._id)));
  expect(arrived.map((requests) => requests.length)).toEqual([2, 1]);
  const [first, second] = arrived[0] ?? [];
  expect(second?.body).toEqual(first?.body);
});

test('a request whose response is lost on a kept connection is repeated once in the same attempt', async () => {
  let isCut = false;
  const receiver = await receiverOf((response) => {
    if (!isCut) response.writeHead(200).end();
    else response.destroy();
    isCut = false;
  });
  const webhook = await insertWebhook(deliveries, { url: receiver.url });
  await deliveries.deliver(await insertEvent(deliveries, [webhook._id]));
  isCut = true;
  const event = await insertEvent(deliveries, [webhook._id]);
  await deliveries.deliver(event);
  expect(await deliveryOf(event._id)).toMatchObject({ state: 'delivered', attemptCount: 1 });
  expect(receiver.requests.filter(isOf(event._id))).toHaveLength(2);
  expect(receiver.sockets).toHaveLength(2);
});
