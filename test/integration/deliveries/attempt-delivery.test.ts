// One attempt at one delivery, without Temporal: a recorded attempt is not made again, when its payload is read, and
// how a delivery without an event or a readable key ends.
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import type { DeliveryOutcome } from '../../../lib/model/delivery-outcome.ts';
import type { DeliveryKey } from '../../../lib/model/delivery.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import type { Sender } from '../../../lib/egress/sender.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import {
  insertEvent,
  insertWebhook,
  newDelivery as newDeliveryDocument,
} from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import type { StoredWebhook } from '../../../lib/model/webhook.ts';
import { requeue } from '../../support/requeue.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { MockActivityEnvironment } from '@temporalio/testing';
import { attemptFirst } from '../../../activities/attempt-first.ts';
import { createWebhookKeys } from '../../../lib/identity/webhook-keys.ts';
import { dayMs } from '../../../lib/platform/duration.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { tokenLog } from '../../../lib/platform/logger.ts';
import { createSecretBox } from '../../../lib/platform/secret-box.ts';

const open = new Disposal();
let installation: Installation;
let sender: Sender;
let receiver: Receiver;
let ports: DeliveryPorts;
let status = 200;
let held: (() => void)[] | null = null;
const never = new AbortController().signal;
const options = { caller: { kind: 'event' }, signal: never } as const;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  sender = open.use(createHttpSender({ policy: installation.config.egress }));
  receiver = open.use(
    await startReceiver((response) => {
      const answer = (): void => void response.writeHead(status).end();
      if (held === null) answer();
      else held.push(answer);
    }),
  );
  ports = deliveryPorts(installation, { sender });
});

afterEach(() => {
  status = 200;
  held = null;
});

afterAll(() => open[Symbol.asyncDispose]());

async function newDelivery(fields: Partial<StoredWebhook> = {}): Promise<DeliveryKey> {
  const webhook = await insertWebhook(installation, { url: receiver.url, ...fields });
  const event = await insertEvent(installation, [webhook._id]);
  return { appUid: installation.app.appUid, eventId: event._id, webhookUid: webhook._id };
}

const requestsOf = (key: DeliveryKey): ReceivedRequest[] =>
  receiver.requests.filter(({ headers }) => headers['webhook-id'] === key.eventId);

const attempt = (key: DeliveryKey, signal = never) =>
  attemptDelivery(ports, key, { caller: { kind: 'event' }, signal });

/** Only the process that made an attempt reports the maximum number of attempts. */
const asStored = (outcome: DeliveryOutcome | undefined): Partial<DeliveryOutcome> => ({
  ...outcome,
  attemptsMax: null,
});

test('a recorded attempt is not made again when the activity is repeated', async () => {
  const key = await newDelivery();
  const first = await attempt(key);
  expect(await attempt(key)).toEqual(asStored(first));
  expect(requestsOf(key)).toHaveLength(1);
});

test('an attempt that is not due yet is not made early', async () => {
  status = 500;
  const key = await newDelivery();
  const first = await attempt(key);
  expect(first).toMatchObject({ state: 'later', status: 500, attemptCount: 1 });
  expect(await attempt(key)).toEqual(asStored(first));
  expect(requestsOf(key)).toHaveLength(1);
});

test('two processes that make the same attempt concurrently leave one record and return the same outcome', async () => {
  held = [];
  const key = await newDelivery();
  const both = [attempt(key), attempt(key)];
  await waitFor(() => held?.length === 2);
  for (const answer of held) answer();
  const [left, right] = await Promise.all(both);
  expect(asStored(left)).toEqual(asStored(right));
  const delivery = await installation.store.deliveries.findOne({ eventId: key.eventId });
  expect(delivery?.attempts).toHaveLength(1);
  expect(delivery?.attemptCount).toBe(1);
});

test.each([
  ['the first', 0],
  ['a later', 1],
])(
  'a resend requested while %s attempt is in flight is sent even if that attempt fails',
  async (_which, attemptsBefore) => {
    const key = await newDelivery();
    const { store } = installation;
    await store.webhooks.updateOne({ _id: key.webhookUid }, { $set: { retryScheduleMs: [] } });
    if (attemptsBefore > 0) {
      const delivery = { ...key, state: 'retrying', attemptCount: attemptsBefore } as const;
      await store.deliveries.insertOne(newDeliveryDocument(installation, new Date(), delivery));
    }
    held = [];
    const attempting = attempt(key);
    await waitFor(() => held?.length === 1);
    const jobUid = newId('job');
    await requeue(installation, key, { jobUid, requeuedAs: 'resend' });
    status = 500;
    for (const answer of held) answer();
    expect(await attempting).toMatchObject({ state: 'continued' });

    [held, status] = [null, 200];
    const ofJob = { caller: { kind: 'job', jobUid }, signal: never } as const;
    expect(await attemptDelivery(ports, key, ofJob)).toMatchObject({ state: 'delivered' });
    expect(requestsOf(key)).toHaveLength(2);
  },
);

/** Changes by another process that repeats an attempt that seems lost, and holds or cancels the delivery. */
const meanwhile = {
  held: ({ webhookUid: _id }: DeliveryKey) =>
    installation.store.webhooks.updateOne({ _id }, { $set: { active: false } }),
  cancelled: ({ webhookUid: _id }: DeliveryKey) =>
    installation.store.webhooks.updateOne({ _id }, { $set: { entities: ['context'] } }),
} as const;

test.each([
  ['held', 'the first', 500],
  ['cancelled', 'a later', 500],
  ['held', 'the first', 200],
  ['cancelled', 'a later', 200],
] as const)(
  'a delivery that another process %s during %s attempt keeps that state unless the attempt succeeds (here: %d)',
  async (state, which, answered) => {
    const key = await newDelivery();
    if (which === 'a later') {
      const tried = { ...key, state: 'retrying', attemptCount: 1 } as const;
      await installation.store.deliveries.insertOne(
        newDeliveryDocument(installation, new Date(), tried),
      );
    }
    held = [];
    const late = attempt(key);
    await waitFor(() => held?.length === 1);
    await meanwhile[state](key);
    expect(await attempt(key)).toMatchObject({ state });
    const before = await installation.store.deliveries.findOne(key);
    status = answered;
    for (const answer of held) answer();
    expect(await late).toMatchObject({ state: answered === 200 ? 'delivered' : state });
    const after = await installation.store.deliveries.findOne(key);
    if (answered === 200) expect(after).toMatchObject({ state: 'delivered' });
    else expect(after).toEqual(before);
  },
);

test('a stopping process rejects its attempt and records nothing', async () => {
  held = [];
  const key = await newDelivery();
  const stopping = new AbortController();
  const attempting = attempt(key, stopping.signal);
  await waitFor(() => held?.length === 1);
  stopping.abort(new Error('stopping'));
  await expect(attempting).rejects.toThrow('stopping');
  expect(await installation.store.deliveries.findOne({ eventId: key.eventId })).toBeNull();
});

test("an attempt's times exclude its wait before the request", async () => {
  const key = await newDelivery();
  let now = new Date();
  const sentAt = new Date(now.getTime() + 7_000);
  const crowded: Sender = {
    ...sender,
    send(request) {
      now = sentAt;
      return sender.send(request);
    },
  };
  const late = { ...ports, sender: crowded, clock: { now: () => now } };
  await attemptDelivery(late, key, options);
  const [request] = requestsOf(key);
  expect(request?.headers['x-webhook-timestamp']).toBe(sentAt.toISOString());
  expect(request?.headers['webhook-timestamp']).toBe(String(Math.floor(sentAt.getTime() / 1_000)));
  const delivery = await installation.store.deliveries.findOne({ eventId: key.eventId });
  expect(delivery?.attempts[0]?.at).toEqual(sentAt);
});

test('the last scheduled attempt exhausts the delivery, and only the latest 21 attempts are kept', async () => {
  status = 500;
  const key = await newDelivery();
  const quick = { ...ports, retryScheduleMs: Array.from({ length: 24 }, () => 1) };
  let outcome = await attemptDelivery(quick, key, options);
  while (outcome.state === 'later') outcome = await attemptDelivery(quick, key, options);
  expect(outcome).toMatchObject({ state: 'exhausted', attemptCount: 25 });
  const delivery = await installation.store.deliveries.findOne({ eventId: key.eventId });
  expect(delivery?.attempts.map((made) => made.n)).toEqual(
    Array.from({ length: 21 }, (_, i) => i + 5),
  );
});

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
  expect(outcome).toMatchObject({ state: 'later', attemptCount: 0 });
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
    later: [{ eventId: other.eventId }],
  });
  expect(requestsOf(lost)).toHaveLength(0);
  expect(await installation.store.deliveries.findOne({ eventId: lost.eventId })).toBeNull();
});

test("the attempts of a job's page are spread over a second, and those of events are not", async () => {
  const keys = await Promise.all(Array.from({ length: 5 }, () => newDelivery()));
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
  expect(await attemptDelivery(ports, key, { caller, signal: never })).toMatchObject({
    state: 'cancelled',
  });
  expect(await deliveries.findOne({ eventId: key.eventId })).toBeNull();
  expect(requestsOf(key)).toHaveLength(1);
});

test('nothing is sent in the name of another application', async () => {
  const key = await newDelivery();
  expect(await attempt({ ...key, appUid: newId('app') })).toMatchObject({ state: 'cancelled' });
  expect(requestsOf(key)).toHaveLength(0);
});

test('an attempt without a readable key is no attempt, and the next one is delivered', async () => {
  const { store, config } = installation;
  const key = await newDelivery({ signatures: ['v1a'] });
  const secretBox = createSecretBox(config.sealingKeys);
  const find = () => {
    throw new Error('no database');
  };
  const unreadable = Object.create(store.webhookKeys, { find: { value: find } });
  const keyPorts = { secretBox, clock: systemClock, rotationMs: 30 * dayMs };
  const broken = createWebhookKeys({
    ...keyPorts,
    store: { ...store, webhookKeys: unreadable as typeof store.webhookKeys },
  });
  const attemptWith = async (webhookKeys = broken) => {
    return attemptDelivery(deliveryPorts(installation, { sender, webhookKeys }), key, options);
  };
  const warned = jest.spyOn(tokenLog, 'warn').mockImplementation(() => undefined);
  await expect(attemptWith()).rejects.toThrow('no database');
  const fields = expect.objectContaining({ appUid: key.appUid });
  expect(warned).toHaveBeenCalledWith(fields, 'signing_keys.read_failed');
  warned.mockRestore();
  expect(requestsOf(key)).toHaveLength(0);
  expect(await store.deliveries.countDocuments({ eventId: key.eventId })).toBe(0);

  const { state } = await attemptWith(createWebhookKeys({ ...keyPorts, store }));
  expect(state).toBe('delivered');
  expect(requestsOf(key)).toMatchObject([
    { headers: { 'webhook-signature': expect.stringMatching(/^v1a,[^ ]+$/) } },
  ]);
});
