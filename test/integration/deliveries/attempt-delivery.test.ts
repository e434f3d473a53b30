// One attempt at one delivery, without Temporal: a recorded attempt is not made again.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import type { DeliveryOutcome } from '../../../lib/model/delivery-outcome.ts';
import type { DeliveryKey } from '../../../lib/model/delivery.ts';
import { createHttpSender, type Sender } from '../../../lib/egress/http-sender.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import {
  insertEvent,
  insertWebhook,
  newDelivery as newDeliveryDocument,
} from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { requeue } from '../../support/requeue.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';
import { resumeWebhook } from '../../support/resume.ts';
import { waitFor } from '../../support/wait-for.ts';

let installation: Installation;
let sender: Sender;
let receiver: Receiver;
let ports: DeliveryPorts;
let status = 200;
let held: (() => void)[] | null = null;
const never = new AbortController().signal;

beforeAll(async () => {
  installation = await createInstallation();
  sender = createHttpSender({ policy: installation.config.egress });
  receiver = await startReceiver((response) => {
    const answer = (): void => void response.writeHead(status).end('x'.repeat(6_000));
    if (held === null) answer();
    else held.push(answer);
  });
  ports = deliveryPorts(installation, { sender });
});

afterEach(() => {
  status = 200;
  held = null;
});

afterAll(async () => {
  await sender?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

async function newDelivery(): Promise<DeliveryKey> {
  const webhook = await insertWebhook(installation, { url: receiver.url });
  const event = await insertEvent(installation, [webhook._id]);
  return { appUid: installation.app.appUid, eventId: event._id, webhookUid: webhook._id };
}

function requestsOf(key: DeliveryKey): number {
  return receiver.requests.filter((request) => request.headers['webhook-id'] === key.eventId)
    .length;
}

const attempt = (key: DeliveryKey, signal = never) =>
  attemptDelivery(ports, key, { caller: { kind: 'event' }, signal });

/** Only the process that made an attempt reports its host and the maximum number of attempts. */
const asStored = (outcome: DeliveryOutcome | undefined): Partial<DeliveryOutcome> => ({
  ...outcome,
  host: null,
  attemptsMax: null,
});

test('a recorded attempt is not made again when the activity is repeated', async () => {
  const key = await newDelivery();
  const first = await attempt(key);
  expect(await attempt(key)).toEqual(asStored(first));
  expect(requestsOf(key)).toBe(1);
});

test('an attempt that is not due yet is not made early', async () => {
  status = 500;
  const key = await newDelivery();
  const first = await attempt(key);
  expect(first).toMatchObject({ state: 'retrying', status: 500, attemptCount: 1 });
  expect(await attempt(key)).toEqual(asStored(first));
  expect(requestsOf(key)).toBe(1);
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
    expect(await attempting).toMatchObject({ state: 'superseded' });

    [held, status] = [null, 200];
    const options = { caller: { kind: 'job', jobUid }, signal: never } as const;
    expect(await attemptDelivery(ports, key, options)).toMatchObject({ state: 'delivered' });
    expect(requestsOf(key)).toBe(2);
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
  ['held', 'a later', 500],
  ['cancelled', 'the first', 500],
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

test('the response sample is truncated at 4 KiB', async () => {
  const key = await newDelivery();
  await attempt(key);
  const delivery = await installation.store.deliveries.findOne({ eventId: key.eventId });
  expect(delivery?.attempts[0]?.responseSample).toBe('x'.repeat(4_096));
});

test('an event of a paused webhook is held, and then sent only by the release of a resume', async () => {
  const key = await newDelivery();
  const { webhooks } = installation.store;
  await webhooks.updateOne({ _id: key.webhookUid }, { $set: { active: false } });
  expect(await attempt(key)).toMatchObject({ state: 'held', attemptCount: 0 });
  await webhooks.updateOne({ _id: key.webhookUid }, { $set: { active: true } });
  expect(await attempt(key)).toMatchObject({ state: 'held', attemptCount: 0 });
  expect(requestsOf(key)).toBe(0);

  const { jobUid, page } = await resumeWebhook(ports, key);
  const { eventId, webhookUid } = key;
  expect(page.events).toEqual([{ eventId, webhookUids: [webhookUid] }]);
  const caller = { kind: 'job', jobUid } as const;
  expect(await attemptDelivery(ports, key, { caller, signal: never })).toMatchObject({
    state: 'delivered',
    attemptCount: 1,
  });
  expect(requestsOf(key)).toBe(1);
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
  await attemptDelivery(late, key, { caller: { kind: 'event' }, signal: never });
  const [request] = receiver.requests.filter(
    ({ headers }) => headers['webhook-id'] === key.eventId,
  );
  expect(request?.headers['x-webhook-timestamp']).toBe(sentAt.toISOString());
  expect(request?.headers['webhook-timestamp']).toBe(String(Math.floor(sentAt.getTime() / 1_000)));
  const delivery = await installation.store.deliveries.findOne({ eventId: key.eventId });
  expect(delivery?.attempts[0]?.at).toEqual(sentAt);
});

test('the last scheduled attempt exhausts the delivery, and only the latest 21 attempts are kept', async () => {
  status = 500;
  const key = await newDelivery();
  const quick = { ...ports, retryScheduleMs: Array.from({ length: 24 }, () => 1) };
  const options = { caller: { kind: 'event' }, signal: never } as const;
  let outcome = await attemptDelivery(quick, key, options);
  while (outcome.state === 'retrying') outcome = await attemptDelivery(quick, key, options);
  expect(outcome).toMatchObject({ state: 'exhausted', attemptCount: 25 });
  const delivery = await installation.store.deliveries.findOne({ eventId: key.eventId });
  expect(delivery?.attempts.map((made) => made.n)).toEqual(
    Array.from({ length: 21 }, (_, i) => i + 5),
  );
});
