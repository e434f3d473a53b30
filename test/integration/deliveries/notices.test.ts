// The notices to operations webhooks: each change of state is reported once, even with concurrent attempts.
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import type { DeliveryOutcome } from '../../../lib/model/delivery-outcome.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import type { StoredWebhook } from '../../../lib/model/webhook.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { dayMs, minuteMs, secondMs } from '../../../lib/platform/duration.ts';
import { recordFailure, recordSuccess } from '../../../lib/webhooks/webhook-health.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertEvent, insertWebhook, newDelivery } from '../../support/fixtures.ts';
import { payloadFaults } from '../../support/payload-schema.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { startReceiver, type Receiver } from '../../support/receivers.ts';

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
/** Two processes. */
let ports: DeliveryPorts[];
let now: Date;
let status = 500;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(await startReceiver((response) => response.writeHead(status).end()));
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  now = new Date();
  const clock = { now: () => now };
  ports = [1, 2].map(() => deliveryPorts(installation, { sender, clock }));
});

afterEach(async () => {
  status = 500;
  const { store } = installation;
  for (const collection of [store.webhooks, store.events, store.deliveries]) {
    await store.db.collection(collection.collectionName).deleteMany({});
  }
});

afterAll(() => open[Symbol.asyncDispose]());

const before = (ms: number): Date => new Date(now.getTime() - ms);

const operations = (fields: Partial<StoredWebhook> = {}): Promise<StoredWebhook> =>
  insertWebhook(installation, { kind: 'operations', url: receiver.url, entities: [], ...fields });

const resources = (fields: Partial<StoredWebhook> = {}): Promise<StoredWebhook> =>
  insertWebhook(installation, { url: receiver.url, ...fields });

/** Attempts an event at a webhook, in one of two processes. */
async function attempt(
  event: EventDocument,
  { _id: webhookUid }: StoredWebhook,
  process = 0,
): Promise<DeliveryOutcome> {
  const key = { appUid: event.appUid, eventId: event._id, webhookUid };
  const signal = new AbortController().signal;
  const of = ports[process] ?? ports[0];
  if (of === undefined) throw new Error('there are no processes');
  return attemptDelivery(of, key, { caller: { kind: 'event' }, signal });
}

/** Makes concurrent attempts at that many events of a webhook, in two processes. */
async function attemptEvents(webhook: StoredWebhook, count: number): Promise<void> {
  const events = await Promise.all(
    Array.from({ length: count }, () => insertEvent(installation, [webhook._id], now)),
  );
  await Promise.all(events.map((event, index) => attempt(event, webhook, index % 2)));
}

async function notices(): Promise<EventDocument[]> {
  const filter = { entity: { $in: ['webhook', 'apikey'] } } as const;
  return installation.store.events.find(filter).sort({ _id: 1 }).toArray();
}

const namesOf = (events: readonly EventDocument[]): string[] => events.map(({ event }) => event);

function dataOf(event: EventDocument | undefined): Record<string, unknown> {
  const payload = JSON.parse(event?.body ?? '{}') as {
    event: string;
    data: Record<string, unknown>;
  };
  expect(payloadFaults(payload)).toEqual([]);
  return payload.data;
}

const longAgo = (fields: Partial<StoredWebhook>) => ({
  failingSince: before(6 * dayMs),
  lastExhaustedAt: before(dayMs),
  ...fields,
});

type Left = Partial<StoredWebhook>;

test.each<[name: string, answer: number, fields: () => Partial<StoredWebhook>, left: Left]>([
  [
    'webhook.failing',
    500,
    () => ({ failingSince: before(6 * minuteMs) }),
    { notified: 'failing', active: true },
  ],
  [
    'webhook.deactivation_scheduled',
    500,
    () => longAgo({ failingSince: before(3 * dayMs), notified: 'failing' }),
    { notified: 'deactivation_scheduled', active: true },
  ],
  [
    'webhook.deactivated',
    500,
    () => longAgo({ notified: 'deactivation_scheduled' }),
    { notified: 'deactivated', active: false, disabledReason: 'failing' },
  ],
  [
    'webhook.recovered',
    200,
    () => longAgo({ notified: 'failing' }),
    { notified: null, failingSince: null, lastExhaustedAt: null },
  ],
  ['delivery.exhausted', 500, () => ({ retryScheduleMs: [] }), { notified: null, active: true }],
])('of twelve concurrent attempts one reports %s', async (...row) => {
  const [name, answer, fields, left] = row;
  status = answer;
  const told = await operations({ active: false });
  const others = [await operations({ events: ['apikey.expiring'] }), await resources()];
  const webhook = await resources({ name: 'Billing', ...fields() });
  await attemptEvents(webhook, 12);
  const found = await notices();
  expect(namesOf(found)).toEqual([name]);
  expect(others.map(({ _id }) => _id)).not.toContain(found[0]?.webhookUids[0]);
  expect(found).toMatchObject([
    {
      webhookUids: [told._id],
      resourceUid: webhook._id,
      workflowId: null,
      dispatchedAt: null,
      firstAttempt: null,
    },
  ]);
  expect(dataOf(found[0])).toMatchObject({
    uid: webhook._id,
    name: 'Billing',
    kind: 'resources',
    urlOrigin: receiver.url,
    lastAttempt: { event: 'agent.updated', n: 1, status: answer, at: now.toISOString() },
  });
  const stored = await installation.store.webhooks.findOne({ _id: webhook._id });
  expect(stored).toMatchObject(left);
});

test('a 410 reports the deactivation and the exhausted delivery', async () => {
  status = 410;
  await operations();
  await attemptEvents(await resources(), 6);
  const found = await notices();
  expect(namesOf(found)).toEqual(['webhook.deactivated', 'delivery.exhausted']);
  expect(dataOf(found[0])).toMatchObject({ disabledReason: 'gone', deactivatesAt: null });
  const exhausted = await installation.store.webhooks.findOne({ kind: 'resources' });
  const reported = Number(dataOf(found[1])['exhaustedCount']);
  expect(reported + Number(exhausted?.exhaustedUnreported)).toBe(6);
});

test('repeating the work of a killed process reports nothing again', async () => {
  await operations();
  const webhook = await resources({ failingSince: before(6 * minuteMs) });
  const event = await insertEvent(installation, [webhook._id], now);
  const told = { status: 500, errorClass: 'status', detail: null } as const;
  const seen = { eventId: event._id, event: event.event, n: 1, at: now, ...told } as const;
  const outcome = { exhausted: false, blocked: false };
  const failure = { at: now, ...outcome, deactivateAfterMs: 5 * dayMs, attempt: seen };
  const { store } = installation;
  expect(await recordFailure(store, webhook, failure)).toBe('failing');
  // The process had read the webhook before, and ended before it recorded the attempt.
  expect(await recordFailure(store, webhook, failure)).toBeNull();
  const failing = { ...webhook, notified: 'failing' } as const;
  expect(await recordSuccess(store, failing, failure)).toBe(true);
  expect(await recordSuccess(store, failing, failure)).toBe(false);
  expect(namesOf(await notices())).toEqual(['webhook.failing', 'webhook.recovered']);
});

test('a paused webhook neither fails nor recovers, and a resume does not repeat notices', async () => {
  await operations();
  const { store } = installation;
  const failing = await resources({ failingSince: before(6 * minuteMs) });
  const deactivated = await resources(longAgo({ notified: 'deactivated' }));
  const attempts = [
    { webhook: failing, answer: 500 },
    { webhook: deactivated, answer: 200 },
  ];
  for (const { webhook, answer } of attempts) {
    status = answer;
    const event = await insertEvent(installation, [webhook._id], now);
    // Paused while an attempt is in flight.
    const { records } = ports[0] ?? {};
    if (records === undefined) throw new Error('there are no processes');
    await store.webhooks.updateOne({ _id: webhook._id }, { $set: { active: false } });
    const readWebhook = async () => webhook;
    const asRead = { ...ports[0], records: { ...records, readWebhook } } as DeliveryPorts;
    const key = { appUid: event.appUid, eventId: event._id, webhookUid: webhook._id };
    const signal = new AbortController().signal;
    await attemptDelivery(asRead, key, { caller: { kind: 'event' }, signal });
  }
  expect(await notices()).toEqual([]);
  const stored = await store.webhooks.find({ kind: 'resources' }).sort({ _id: 1 }).toArray();
  expect(stored.map(({ notified }) => notified)).toEqual([null, 'deactivated']);
});

test('delivery.exhausted is sent once a minute, and counts those in between', async () => {
  await operations();
  const webhook = await resources({ retryScheduleMs: [] });
  const startedAt = now;
  for (const seconds of [0, 1, 59.999, 60, 90]) {
    now = new Date(startedAt.getTime() + seconds * secondMs);
    await attemptEvents(webhook, 1);
  }
  const found = await notices();
  expect(namesOf(found)).toEqual(['delivery.exhausted', 'delivery.exhausted']);
  expect(found.map((event) => dataOf(event)['exhaustedCount'])).toEqual([1, 3]);
});

test('no webhook is notified about itself, and exhausted deliveries of operations webhooks are not reported', async () => {
  const failing = { failingSince: before(6 * minuteMs), retryScheduleMs: [] };
  const one = await operations(failing);
  const two = await operations(failing);
  const subject = await resources(failing);
  await attemptEvents(subject, 1);
  const [about, exhausted] = await notices();
  if (about === undefined || exhausted === undefined) throw new Error('nothing was told');
  // Both operations webhooks fail, of which each reports the other once.
  for (const event of [about, exhausted]) {
    for (const webhook of [one, two]) await attempt(event, webhook);
  }
  const later = (await notices()).slice(2);
  expect(later).toMatchObject([
    { event: 'webhook.failing', resourceUid: one._id, webhookUids: [two._id] },
    { event: 'webhook.failing', resourceUid: two._id, webhookUids: [one._id] },
  ]);
  for (const event of later) await attempt(event, event.resourceUid === one._id ? two : one);
  expect(await notices()).toHaveLength(4);
});

test('without a subscriber, a change of state is recorded but not reported', async () => {
  const webhook = await resources({ failingSince: before(6 * minuteMs) });
  await attemptEvents(webhook, 2);
  expect(await notices()).toEqual([]);
  const stored = await installation.store.webhooks.findOne({ _id: webhook._id });
  expect(stored?.notified).toBe('failing');
});

test('an event of the other kind is not sent, not even by a resend', async () => {
  const [told, subject] = [await operations(), await resources({ retryScheduleMs: [] })];
  await attemptEvents(subject, 1);
  const [notice] = await notices();
  if (notice === undefined) throw new Error('nothing was told');
  status = 200;
  const resend = async (event: EventDocument, webhook: StoredWebhook) => {
    const sentAgain = { requeuedAs: 'resend', requeuedAt: now } as const;
    const fields = { eventId: event._id, webhookUid: webhook._id, ...sentAgain };
    await installation.store.deliveries.insertOne(newDelivery(installation, now, fields));
    return attempt(event, webhook);
  };
  const change = await insertEvent(installation, [], now);
  expect(await resend(change, told)).toMatchObject({ state: 'cancelled' });
  expect(await resend(change, subject)).toMatchObject({ state: 'delivered' });
  expect(await resend(notice, subject)).toMatchObject({ state: 'cancelled' });
  expect(await resend(notice, told)).toMatchObject({ state: 'delivered' });
});
