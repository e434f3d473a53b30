// Deliveries to a webhook with a rate: by two processes, in order, and after failures.
import { type EventDocument, setSequence } from '../../../lib/model/event.ts';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { attemptInOrder } from '../../../lib/deliveries/attempt-in-order.ts';
import { EarlyAttempts } from '../../../lib/deliveries/early-attempts.ts';
import { type AwaitSlot, createRateLimiter } from '../../../lib/rate-limit/rate-limiter.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import type { DeliveryOutcome, LaterOutcome } from '../../../lib/model/delivery-outcome.ts';
import type { DeliveryKey } from '../../../lib/model/delivery.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { systemClock } from '../../../lib/platform/clock.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { sequenceOf } from '../../support/counting-receiver.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { giveNumber } from '../../support/issue-number.ts';
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
  newKeys: (count: number, fieldsOfEvent?: Partial<EventDocument>) => Promise<DeliveryKey[]>;
}

async function rated(
  ratePerSecond: number | null,
  fields: Partial<WebhookDocument> = {},
): Promise<Rated> {
  const path = `/${newId('whk')}`;
  const url = receiver.url + path;
  const webhook = await insertWebhook(installation, { url, ratePerSecond, ...fields });
  const newKey = async (fieldsOfEvent: Partial<EventDocument>): Promise<DeliveryKey> => {
    const made = { ...newEvent(installation, [webhook._id], new Date()), ...fieldsOfEvent };
    await installation.store.events.insertOne(made);
    return { appUid: made.appUid, eventId: made._id, webhookUid: webhook._id };
  };
  const newKeys = (count: number, fieldsOfEvent: Partial<EventDocument> = {}) =>
    Promise.all(Array.from({ length: count }, () => newKey(fieldsOfEvent)));
  return { webhook, path, newKeys };
}

/** Attempts all deliveries concurrently, each in one of the two processes. */
const attemptAll = (keys: readonly DeliveryKey[]): Promise<DeliveryOutcome[]> =>
  Promise.all(keys.map((key, index) => attempt(processes[index % 2], key)));

const attempt = (ports: DeliveryPorts | undefined, key: DeliveryKey): Promise<DeliveryOutcome> =>
  attemptDelivery(ports as DeliveryPorts, key, { caller: { kind: 'event' }, signal: never });

const stored = ({ eventId }: DeliveryKey) => installation.store.deliveries.findOne({ eventId });

const receivedOn = (path: string): ReceivedRequest[] =>
  receiver.requests.filter((request) => request.path === path);

const limiterOf = ({ _id }: Pick<WebhookDocument, '_id'>) =>
  installation.store.rateLimiters.findOne({ _id });

/** Postpones the next slot of a webhook, as if deliveries had reserved the earlier ones. */
async function reserveUntil(webhook: WebhookDocument, ms: number): Promise<number> {
  const nextSlotMs = Date.now() + ms;
  const { _id, updatedAt: webhookUpdatedAt } = webhook;
  await installation.store.rateLimiters.replaceOne(
    { _id },
    { nextSlotMs, webhookUpdatedAt, expiresAt: new Date(nextSlotMs) },
    { upsert: true },
  );
  return nextSlotMs;
}

test('two processes share one rate: requests of the next second are sent, and later ones wait recorded', async () => {
  const { path, newKeys } = await rated(10);
  const keys = await newKeys(30);
  const startedAt = Date.now();
  const outcomes = await attemptAll(keys);
  const askedForMs = Date.now() - startedAt;
  const sent = outcomes.filter(({ state }) => state === 'delivered');
  const waiting = outcomes.filter((outcome) => outcome.state === 'later');
  expect(sent.length + waiting.length).toBe(30);
  expect(sent.length).toBeGreaterThanOrEqual(11);
  expect(sent.length).toBeLessThanOrEqual(1 + (Date.now() - startedAt) / 100);
  expect(receivedOn(path)).toHaveLength(sent.length);
  const times = waiting.map(({ at }) => Date.parse(at) - startedAt);
  expect(new Set(times).size).toBe(times.length);
  // Thirty times a tenth of a second, from the time when the last of them requested a slot.
  expect(Math.max(...times)).toBeLessThanOrEqual(3_200 + askedForMs);
  expect(waiting).toContainEqual(expect.objectContaining({ why: 'rateLimited', attemptCount: 0 }));
  const [first] = waiting;
  const key = { ...keys[0], eventId: first?.eventId ?? '' } as DeliveryKey;
  const left = await stored(key);
  expect(left).toMatchObject({ state: 'pending', isRateLimited: true, attemptCount: 0 });

  // A call before the slot returns the same time, and reserves no other slot.
  const inAMinute = { nextAttemptAt: new Date(Date.now() + 60_000) };
  await installation.store.deliveries.updateOne({ eventId: key.eventId }, { $set: inAMinute });
  const early = await attempt(processes[0], key);
  expect(early).toMatchObject({ state: 'later', why: 'rateLimited' });
  expect(await installation.store.rateLimiters.countDocuments({})).toBe(1);
});

test('slots that processes reserve concurrently are separated by the interval', async () => {
  const { webhook } = await rated(100);
  const rate = { limiterId: webhook._id, perSecond: 100 };
  const request = { webhook, rate, clock: systemClock };
  const limiters = Array.from({ length: 4 }, () => createRateLimiter(installation.store));
  const reserve = (awaitSlot: AwaitSlot) =>
    Promise.all(Array.from({ length: 50 }, () => awaitSlot(request, never)));
  await reserveUntil(webhook, 300_000);
  const slots = await Promise.all(limiters.map(reserve));
  const times = slots
    .flat()
    .map(Number)
    .toSorted((a, b) => a - b);
  for (const [index, time] of times.entries()) {
    // A time in milliseconds is rounded up.
    expect(Math.abs(time - (times[0] ?? 0) - 10 * index)).toBeLessThanOrEqual(1);
  }
});

test.each([
  { of: 'due now', lateMs: 0, state: 'delivered' },
  { of: 'more than a second past', lateMs: 1_500, state: 'later' },
  { of: 'of a webhook that was changed since', lateMs: 0, isChanged: true, state: 'delivered' },
])('a delivery with a slot $of is $state, although others have later slots', async (row) => {
  const { webhook, newKeys } = await rated(5);
  const { deliveries, webhooks } = installation.store;
  const slotsEndMs = await reserveUntil(webhook, 60_000);
  const [waited] = (await newKeys(1)) as [DeliveryKey];
  const nextAttemptAt = new Date(Date.now() - row.lateMs);
  const due = { ...waited, isRateLimited: true, nextAttemptAt };
  await deliveries.insertOne(newDelivery(installation, new Date(), due));
  if (row.isChanged) {
    const updatedAt = new Date(Date.now() + 1);
    await webhooks.updateOne({ _id: webhook._id }, { $set: { updatedAt } });
  }
  expect(await attempt(processes[0], waited)).toMatchObject({ state: row.state });
  const { nextSlotMs = 0 } = (await limiterOf(webhook)) ?? {};
  if (row.isChanged) expect(nextSlotMs).toBeLessThan(slotsEndMs);
  else expect(nextSlotMs).toBe(slotsEndMs + (row.state === 'delivered' ? 0 : 200));
  if (row.state === 'later') {
    const slot = { isRateLimited: true, nextAttemptAt: new Date(slotsEndMs), attemptCount: 0 };
    expect(await stored(waited)).toMatchObject(slot);
  } else {
    expect(await stored(waited)).toMatchObject({ isRateLimited: false, attemptCount: 1 });
  }
});

test('a hundred attempts of a process wait for their slot, 75 of one application; others are recorded with it', async () => {
  const both = [await rated(100), await rated(100)].map(({ webhook }, index) => ({
    webhook: { ...webhook, appUid: `app_${index}` },
  }));
  const awaitSlot = createRateLimiter(installation.store);
  const slots = await Promise.all(
    both.flatMap(({ webhook }) => {
      const rate = { limiterId: webhook._id, perSecond: 100 };
      const request = { webhook, rate, clock: systemClock };
      return Array.from({ length: 80 }, () => awaitSlot(request, never));
    }),
  );
  const waited = slots.map((slot) => slot === null);
  expect(waited.filter(Boolean)).toHaveLength(100);
  expect(waited.slice(0, 80).filter(Boolean)).toHaveLength(75);
});

test('a process that stops during the wait loses its slot, and the attempt is made by another process', async () => {
  const { webhook, path, newKeys } = await rated(2);
  const [key] = (await newKeys(1)) as [DeliveryKey];
  const slotMs = await reserveUntil(webhook, 1_000);
  const [one, another] = processes as [DeliveryPorts, DeliveryPorts];
  // By clocks that stand still, so that the waits are equally long on any machine.
  const stopping = { ...one, clock: { now: () => new Date(slotMs - 1_000) } };
  const other = { ...another, clock: { now: () => new Date(slotMs) } };
  const stop = new AbortController();
  const options = { caller: { kind: 'event' }, signal: stop.signal } as const;
  const waiting = attemptDelivery(stopping, key, options);
  await waitFor(async () => ((await limiterOf(webhook))?.nextSlotMs ?? 0) > slotMs);
  stop.abort(new Error('the process stops'));
  await expect(waiting).rejects.toThrow('the process stops');
  expect(await stored(key)).toBeNull();
  expect(await attempt(other, key)).toMatchObject({ state: 'delivered', attemptCount: 1 });
  expect((await limiterOf(webhook))?.nextSlotMs).toBe(slotMs + 1_000);
  expect(receivedOn(path)).toHaveLength(1);
});

test('a retry is subject to the rate when it is due, and stays a retry', async () => {
  const { webhook, newKeys } = await rated(1, { retryScheduleMs: [1_000] });
  const [failing, other] = (await newKeys(2)) as [DeliveryKey, DeliveryKey];
  status = 500;
  expect(await attempt(processes[0], failing)).toMatchObject({ state: 'later', status: 500 });
  status = 200;
  const slot = new Date(await reserveUntil(webhook, 60_000));
  await installation.store.deliveries.updateOne(
    { eventId: failing.eventId },
    { $set: { nextAttemptAt: new Date() } },
  );
  expect(await attempt(processes[0], failing)).toMatchObject({
    state: 'later',
    why: 'rateLimited',
    attemptCount: 1,
    at: slot.toISOString(),
  });
  const retry = { state: 'retrying', isRateLimited: true, attemptCount: 1, nextAttemptAt: slot };
  expect(await stored(failing)).toMatchObject(retry);

  // A delivery that a job sends again has no slot.
  const jobUid = newId('job');
  await requeue(installation, failing, { jobUid, requeuedAs: 'resend' });
  expect(await stored(failing)).toMatchObject({ isRateLimited: false, nextAttemptAt: null });
  const caller = { kind: 'job', jobUid } as const;
  const [ports] = processes as [DeliveryPorts];
  const again = await attemptDelivery(ports, failing, { caller, signal: never });
  expect(again).toMatchObject({
    why: 'rateLimited',
    at: new Date(Number(slot) + 1_000).toISOString(),
  });

  // A delivery to a paused webhook reserves no slot.
  await installation.store.webhooks.updateOne({ _id: webhook._id }, { $set: { active: false } });
  expect(await attempt(ports, other)).toMatchObject({ state: 'held' });
  expect((await limiterOf(webhook))?.nextSlotMs).toBe(Number(slot) + 2_000);
});

test('early attempts leave rate-limited deliveries to the workflow, which does not reserve again', async () => {
  const { webhook } = await rated(1);
  const [ports] = processes as [DeliveryPorts];
  const earlyAttempts = new EarlyAttempts(ports);
  const events = Array.from({ length: 3 }, () => ({
    ...newEvent(installation, [webhook._id], new Date()),
    firstAttempt: earlyAttempts.claim(),
  }));
  await installation.store.events.insertMany(events);
  for (const event of events) earlyAttempts.begin(event, [webhook], event.createdAt);
  const taken = await Promise.all(
    events.map(({ _id: eventId, appUid }) =>
      earlyAttempts.take({ appUid, eventId, webhookUid: webhook._id }),
    ),
  );
  expect(taken.map((outcome) => outcome?.state)).toEqual(['delivered', 'delivered', 'later']);
  expect(taken[2]).toMatchObject({ why: 'rateLimited', attemptCount: 0 });
});

test('an ordered webhook gets its events in order, at the rate', async () => {
  const { webhook, path } = await rated(20, { ordering: 'resource' });
  const resourceUid = newId('agt');
  const { appUid, _id: webhookUid } = webhook;
  for (let sequence = 1; sequence <= 12; sequence += 1) {
    const event = { ...newEvent(installation, [webhookUid], new Date()), resourceUid };
    setSequence(event, sequence);
    await installation.store.events.insertOne(event);
    await giveNumber(installation, event, webhookUid);
  }
  const partition = { appUid, webhookUid, entity: 'agent', resourceUid } as const;
  const startedAt = Date.now();
  const step = await attemptInOrder(processes[0] as DeliveryPorts, partition, { signal: never });
  expect(step.next).toBe('end');
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(11 * 50);
  const sent = receivedOn(path).map(sequenceOf);
  expect(sent).toEqual(Array.from({ length: 12 }, (_none, n) => n + 1));
});

const isRateLimited = (outcome: DeliveryOutcome): outcome is LaterOutcome =>
  outcome.state === 'later' && outcome.why === 'rateLimited';

test('with a rate for each tenant a flood of one does not delay the others', async () => {
  const { webhook, newKeys } = await rated(null, { ratePerSecondPerTenant: 1 });
  const hostile = `\u0000$.${'ü'.repeat(197)}`;
  const flood = await newKeys(40, { externalTenantId: 'flood' });
  const outcomes = await attemptAll(flood);
  const slots = outcomes.flatMap((each) => (isRateLimited(each) ? [Date.parse(each.at)] : []));
  expect(slots.length).toBeGreaterThan(30);
  expect(Math.max(...slots) - Date.now()).toBeGreaterThan(30_000);
  for (const externalTenantId of ['calm', '', hostile]) {
    const others = await attemptAll(await newKeys(3, { externalTenantId }));
    expect([others.length, others.filter(isRateLimited).length]).toEqual([3, 1]);
  }
  const limiters = installation.store.rateLimiters.find({ _id: { $regex: `^${webhook._id}` } });
  const found = (await limiters.toArray()).map(({ _id }) => _id.slice(webhook._id.length));
  expect(found.toSorted()).toEqual(['/', '/calm', '/flood', `/${hostile}`].toSorted());
});

test('an ordered webhook waits for the rate of a tenant in its resource alone, and parks nothing', async () => {
  const fields = { ordering: 'resource', ratePerSecondPerTenant: 1 } as const;
  const { webhook, path } = await rated(null, fields);
  const { appUid, _id: webhookUid } = webhook;
  const inOrder = async (externalTenantId: string) => {
    const resourceUid = newId('agt');
    const made = newEvent(installation, [webhookUid], new Date());
    const event = { ...made, resourceUid, externalTenantId };
    await installation.store.events.insertOne(event);
    await giveNumber(installation, event, webhookUid);
    const partition = { appUid, webhookUid, entity: 'agent', resourceUid } as const;
    const step = await attemptInOrder(processes[0] as DeliveryPorts, partition, { signal: never });
    return { next: step.next, eventId: event._id };
  };
  const flood = await Promise.all(Array.from({ length: 40 }, () => inOrder('flood')));
  expect(flood.filter(({ next }) => next !== 'end').length).toBeGreaterThan(30);
  const before = receivedOn(path).length;
  expect(await inOrder('calm')).toMatchObject({ next: 'end' });
  expect(receivedOn(path)).toHaveLength(before + 1);
  expect(await installation.store.partitions.countDocuments({ webhookUid, isParked: true })).toBe(
    0,
  );
});
