// The event of an attempt: when its payload is read, and how a delivery without an event ends.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { MockActivityEnvironment } from '@temporalio/testing';
import { attemptFirst } from '../../../activities/attempt-first.ts';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { newId } from '../../../lib/platform/ids.ts';
import type { DeliveryKey } from '../../../lib/model/delivery.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { requeue } from '../../support/requeue.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../../support/receivers.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
let status = 200;
const { signal } = new AbortController();
const options = { caller: { kind: 'event' }, signal } as const;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  receiver = open.use(await startReceiver((response) => response.writeHead(status).end()));
  ports = deliveryPorts(installation, { sender });
});

afterEach(() => {
  status = 200;
});

afterAll(() => open[Symbol.asyncDispose]());

async function newDelivery(): Promise<DeliveryKey> {
  const webhook = await insertWebhook(installation, { url: receiver.url });
  const event = await insertEvent(installation, [webhook._id]);
  return { appUid: installation.app.appUid, eventId: event._id, webhookUid: webhook._id };
}

const requestsOf = (key: DeliveryKey): ReceivedRequest[] =>
  receiver.requests.filter(({ headers }) => headers['webhook-id'] === key.eventId);

const attempt = (key: DeliveryKey) => attemptDelivery(ports, key, options);

const exact = (byteCount: number): string => JSON.stringify('é'.repeat(byteCount / 2 - 1));

test.each([
  ['4 KiB is read with its event', 4_096, 0],
  ['more than 4 KiB is read only when it is sent', 4_098, 1],
])('a body of %s, and is sent unchanged', async (_what, byteCount, readsExpected) => {
  status = 500;
  const key = await newDelivery();
  const body = exact(byteCount);
  expect(Buffer.byteLength(body)).toBe(byteCount);
  await installation.store.events.updateOne({ _id: key.eventId }, { $set: { body } });
  let reads = 0;
  const counted = (eventId: string): Promise<string | null> => {
    reads += 1;
    return ports.records.readBody(eventId);
  };
  const counting = { ...ports, records: { ...ports.records, readBody: counted } };
  await attemptDelivery(counting, key, options);
  // Not due yet.
  await attemptDelivery(counting, key, options);
  expect(reads).toBe(readsExpected);
  const [request] = requestsOf(key);
  expect(request?.body.toString('utf8')).toBe(body);
});

test('a long body that is erased while its attempt waits for a permit is not sent, and the next attempt cancels the delivery', async () => {
  const key = await newDelivery();
  const { events } = installation.store;
  await events.updateOne({ _id: key.eventId }, { $set: { body: exact(5_000) } });
  const erasing: DeliveryPorts['records'] = {
    ...ports.records,
    async readBody(eventId) {
      await events.updateOne({ _id: eventId }, { $set: { body: '', erasedAt: new Date() } });
      return ports.records.readBody(eventId);
    },
  };
  const outcome = await attemptDelivery({ ...ports, records: erasing }, key, options);
  expect(outcome).toMatchObject({ state: 'retrying', attemptCount: 0 });
  expect(await attempt(key)).toMatchObject({ state: 'cancelled' });
  expect(requestsOf(key)).toHaveLength(0);
});

test('the delivery of a deleted event is cancelled, and others in the same activity are attempted', async () => {
  status = 500;
  const [lost, other] = [await newDelivery(), await newDelivery()];
  await installation.store.events.deleteOne({ _id: lost.eventId });
  const { appUid } = other;
  const input = { appUid, deliveries: [lost, other] };
  const first = () => attemptFirst(ports, input, null);
  const outcomes = await new MockActivityEnvironment().run(first);
  expect(outcomes).toMatchObject({
    settled: { cancelled: 1 },
    retrying: [{ eventId: other.eventId }],
  });
  expect(requestsOf(lost)).toHaveLength(0);
  expect(await installation.store.deliveries.findOne({ eventId: lost.eventId })).toBeNull();
});

test("the attempts of a job's page are spread over a second, and those of events are not", async () => {
  const keys = await Promise.all(Array.from({ length: 5 }, newDelivery));
  const { appUid } = installation.app;
  const tookMs = async (jobUid?: string): Promise<number> => {
    const begunAtMs = performance.now();
    const input = { appUid, deliveries: keys, ...(jobUid === undefined ? {} : { jobUid }) };
    await new MockActivityEnvironment().run(() => attemptFirst(ports, input, null));
    return performance.now() - begunAtMs;
  };
  const ofEventsMs = await tookMs();
  const jobUid = newId('job');
  for (const key of keys) await requeue(installation, key, { jobUid, requeuedAs: 'sync' });
  const ofJobMs = await tookMs(jobUid);
  expect(ofJobMs).toBeGreaterThan(750);
  expect(ofEventsMs).toBeLessThan(ofJobMs);
  for (const key of keys) expect(requestsOf(key)).toHaveLength(2);
});

test('a requeued delivery whose event was deleted is deleted, too', async () => {
  const key = await newDelivery();
  await attempt(key);
  const { events, deliveries } = installation.store;
  const jobUid = newId('job');
  await requeue(installation, key, { jobUid, requeuedAs: 'replay' });
  await events.deleteOne({ _id: key.eventId });
  const caller = { kind: 'job', jobUid } as const;
  expect(await attemptDelivery(ports, key, { caller, signal })).toMatchObject({
    state: 'cancelled',
  });
  expect(await deliveries.findOne({ eventId: key.eventId })).toBeNull();
  expect(requestsOf(key)).toHaveLength(1);
});
