// Deliveries to a webhook with a rate: attempted by two processes, in order, and after failures.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { attemptInOrder } from '../../../lib/deliveries/attempt-in-order.ts';
import { HeadStart } from '../../../lib/deliveries/head-start.ts';
import { createPacer } from '../../../lib/rate-limit/paces.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import type { DeliveryOutcome } from '../../../lib/model/delivery-outcome.ts';
import type { DeliveryKey } from '../../../lib/model/delivery.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { sequenceOf } from '../../support/counting-receiver.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { giveTurn } from '../../support/give-turn.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { type ReceivedRequest, type Receiver, startReceiver } from '../../support/receivers.ts';
import { requeue } from '../../support/requeue.ts';
import { waitFor } from '../../support/wait-for.ts';

const open = new Disposal();
const never = new AbortController().signal;
let installation: Installation;
let receiver: Receiver;
let processes: DeliveryPorts[];
let status = 200;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(await startReceiver((response) => response.writeHead(status).end()));
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  processes = [deliveryPorts(installation, { sender }), deliveryPorts(installation, { sender })];
});

afterAll(() => open[Symbol.asyncDispose]());

interface Rated {
  webhook: WebhookDocument;
  path: string;
  newKeys: (count: number) => Promise<DeliveryKey[]>;
}

async function rated(ratePerSecond: number, fields: Partial<WebhookDocument> = {}): Promise<Rated> {
  const path = `/${newId('whk')}`;
  const url = receiver.url + path;
  const webhook = await insertWebhook(installation, { url, ratePerSecond, ...fields });
  const newKey = async (): Promise<DeliveryKey> => {
    const { _id: eventId, appUid } = await insertEvent(installation, [webhook._id]);
    return { appUid, eventId, webhookUid: webhook._id };
  };
  const newKeys = (count: number) => Promise.all(Array.from({ length: count }, newKey));
  return { webhook, path, newKeys };
}

/** Attempts each in one of the two processes, all at once. */
const attemptAll = (keys: readonly DeliveryKey[]): Promise<DeliveryOutcome[]> =>
  Promise.all(keys.map((key, index) => attempt(processes[index % 2], key)));

const attempt = (ports: DeliveryPorts | undefined, key: DeliveryKey): Promise<DeliveryOutcome> =>
  attemptDelivery(ports as DeliveryPorts, key, { caller: { kind: 'event' }, signal: never });

const stored = ({ eventId }: DeliveryKey) => installation.store.deliveries.findOne({ eventId });

const receivedOn = (path: string): ReceivedRequest[] =>
  receiver.requests.filter((request) => request.path === path);

test('two processes share one rate: those of the next second are sent, the others wait recorded', async () => {
  const { path, newKeys } = await rated(10);
  const keys = await newKeys(30);
  const startedAt = Date.now();
  const outcomes = await attemptAll(keys);
  const askedForMs = Date.now() - startedAt;
  const sent = outcomes.filter(({ state }) => state === 'delivered');
  const waiting = outcomes.filter(({ state }) => state === 'retrying');
  expect(sent.length + waiting.length).toBe(30);
  expect(sent.length).toBeGreaterThanOrEqual(11);
  expect(sent.length).toBeLessThanOrEqual(1 + (Date.now() - startedAt) / 100);
  expect(receivedOn(path)).toHaveLength(sent.length);
  const times = waiting.map(({ nextAttemptAt }) => Date.parse(String(nextAttemptAt)) - startedAt);
  expect(new Set(times).size).toBe(times.length);
  // Thirty times a tenth of a second, from when the last of them asked.
  expect(Math.max(...times)).toBeLessThanOrEqual(3_200 + askedForMs);
  expect(waiting).toContainEqual(expect.objectContaining({ isInLine: true, attemptCount: 0 }));
  const [first] = waiting;
  const key = { ...keys[0], eventId: first?.eventId ?? '' } as DeliveryKey;
  const left = await stored(key);
  expect(left).toMatchObject({ state: 'pending', isInLine: true, attemptCount: 0 });

  // Who asks early is told the same, and takes no other time.
  const inAMinute = { nextAttemptAt: new Date(Date.now() + 60_000) };
  await installation.store.deliveries.updateOne({ eventId: key.eventId }, { $set: inAMinute });
  const early = await attempt(processes[0], key);
  expect(early).toMatchObject({ state: 'retrying', isInLine: true });
  expect(await installation.store.paces.countDocuments({})).toBe(1);
});

test('what waited is sent when its time has come, though others wait; who comes then waits behind them', async () => {
  const { webhook, newKeys } = await rated(5);
  const { deliveries, paces } = installation.store;
  const lineEndsMs = Date.now() + 60_000;
  const expiresAt = new Date(lineEndsMs);
  const line = { ratePerSecond: 5, sendsFromMs: 0, lineEndsMs, expiresAt };
  await paces.insertOne({ _id: webhook._id, ...line });
  const [waited, late] = (await newKeys(2)) as [DeliveryKey, DeliveryKey];
  const due = { ...waited, isInLine: true, nextAttemptAt: new Date() };
  await deliveries.insertOne(newDelivery(installation, new Date(), due));
  const [lateOutcome, outcome] = await attemptAll([late, waited]);
  expect(outcome).toMatchObject({ state: 'delivered', attemptCount: 1 });
  expect(await stored(waited)).toMatchObject({ isInLine: false, attemptCount: 1 });
  // Half a second before its time.
  const nextAttemptAt = new Date(lineEndsMs - 400).toISOString();
  expect(lateOutcome).toMatchObject({ state: 'retrying', isInLine: true, nextAttemptAt });
});

test('a hundred attempts of a process wait for their time, and more go back into the line', async () => {
  const { webhook } = await rated(100);
  const awaitTime = createPacer(installation.store);
  const question = {
    webhookUid: webhook._id,
    ratePerSecond: 100,
    isInLine: true,
    clock: systemClock,
  };
  const times = await Promise.all(Array.from({ length: 150 }, () => awaitTime(question, never)));
  const waited = times.filter((time) => time === null);
  expect(waited).toHaveLength(100);
});

test('a process that stops during the wait loses its time; the attempt is made elsewhere', async () => {
  const { path, newKeys } = await rated(2);
  const [first, second] = (await newKeys(2)) as [DeliveryKey, DeliveryKey];
  const [stopping, other] = processes as [DeliveryPorts, DeliveryPorts];
  const startedAt = Date.now();
  expect(await attempt(stopping, first)).toMatchObject({ state: 'delivered' });
  const stop = new AbortController();
  const options = { caller: { kind: 'event' }, signal: stop.signal } as const;
  const waiting = attemptDelivery(stopping, second, options);
  await waitFor(async () => {
    const pace = await installation.store.paces.findOne({ _id: second.webhookUid });
    return (pace?.sendsFromMs ?? 0) >= startedAt + 1_000;
  });
  stop.abort(new Error('the process stops'));
  await expect(waiting).rejects.toThrow('the process stops');
  expect(await stored(second)).toBeNull();
  expect(await attempt(other, second)).toMatchObject({ state: 'delivered', attemptCount: 1 });
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1_000);
  expect(receivedOn(path)).toHaveLength(2);
});

test('a retry is subject to the rate when it is due, and stays a retry', async () => {
  const { webhook, newKeys } = await rated(1, { retryScheduleMs: [1_000] });
  const [failing, other] = (await newKeys(2)) as [DeliveryKey, DeliveryKey];
  status = 500;
  expect(await attempt(processes[0], failing)).toMatchObject({ state: 'retrying', status: 500 });
  status = 200;
  const later = new Date(Date.now() + 60_000);
  const asksAt = new Date(Number(later) - 400);
  const line = { ratePerSecond: 1, sendsFromMs: Number(later), lineEndsMs: Number(later) };
  await installation.store.paces.updateOne({ _id: webhook._id }, { $set: line });
  await installation.store.deliveries.updateOne(
    { eventId: failing.eventId },
    { $set: { nextAttemptAt: new Date() } },
  );
  expect(await attempt(processes[0], failing)).toMatchObject({
    state: 'retrying',
    isInLine: true,
    attemptCount: 1,
    nextAttemptAt: asksAt.toISOString(),
  });
  const retry = { state: 'retrying', isInLine: true, attemptCount: 1, nextAttemptAt: asksAt };
  expect(await stored(failing)).toMatchObject(retry);

  // Sent again by a job it is new in the line.
  const jobUid = newId('job');
  await requeue(installation, failing, { jobUid, requeuedAs: 'resend' });
  expect(await stored(failing)).toMatchObject({ isInLine: false, nextAttemptAt: null });
  const caller = { kind: 'job', jobUid } as const;
  const [ports] = processes as [DeliveryPorts];
  const again = await attemptDelivery(ports, failing, { caller, signal: never });
  expect(again.nextAttemptAt).toBe(new Date(Number(asksAt) + 1_000).toISOString());

  // A paused webhook takes no time of the line.
  await installation.store.webhooks.updateOne({ _id: webhook._id }, { $set: { active: false } });
  expect(await attempt(ports, other)).toMatchObject({ state: 'held' });
  const pace = await installation.store.paces.findOne({ _id: webhook._id });
  expect(pace?.lineEndsMs).toBe(Number(later) + 2_000);
});

test('a head start leaves what has to wait to the workflow, which does not ask again', async () => {
  const { webhook } = await rated(1);
  const [ports] = processes as [DeliveryPorts];
  const headStart = new HeadStart(ports);
  const events = Array.from({ length: 3 }, () => ({
    ...newEvent(installation, [webhook._id], new Date()),
    headStart: headStart.claim(),
  }));
  await installation.store.events.insertMany(events);
  for (const event of events) headStart.begin(event, [webhook], event.createdAt);
  const taken = await Promise.all(
    events.map(({ _id: eventId, appUid }) =>
      headStart.take({ appUid, eventId, webhookUid: webhook._id }),
    ),
  );
  expect(taken.map((outcome) => outcome?.state)).toEqual(['delivered', 'delivered', 'retrying']);
  expect(taken[2]).toMatchObject({ isInLine: true, attemptCount: 0 });
});

test('an ordered webhook gets its events in order, at the rate', async () => {
  const { webhook, path } = await rated(20, { ordering: 'resource' });
  const resourceUid = newId('agt');
  const { appUid, _id: webhookUid } = webhook;
  for (let sequence = 1; sequence <= 12; sequence += 1) {
    const event = { ...newEvent(installation, [webhookUid], new Date()), resourceUid, sequence };
    await installation.store.events.insertOne(event);
    await giveTurn(installation, event, webhookUid);
  }
  const partition = { appUid, webhookUid, entity: 'agent', resourceUid } as const;
  const startedAt = Date.now();
  const step = await attemptInOrder(processes[0] as DeliveryPorts, partition, { signal: never });
  expect(step.next).toBe('end');
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(11 * 50);
  const sent = receivedOn(path).map(sequenceOf);
  expect(sent).toEqual(Array.from({ length: 12 }, (_none, n) => n + 1));
});
