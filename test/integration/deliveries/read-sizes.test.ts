// Documents as large as tenants can make them: each read still returns a limited amount at a time.
import type { Document } from 'mongodb';
import { readDeliveries } from '../../../lib/history/delivery-lists.ts';
import { eraseChunk } from '../../../lib/jobs/erasure/erase-chunk.ts';
import { newErasure } from '../../../lib/jobs/erasure/erasures.ts';
import { findNumbered } from '../../../lib/order/partitions.ts';
import { countReplay } from '../../../lib/jobs/replay/count-replay.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { keptHeaders } from '../../../lib/egress/describe-response.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { readEventsForward } from '../../../lib/events/event-lists.ts';
import { findUnclaimed } from '../../../lib/events/events.ts';
import { egressLimits, limits, streamLimits } from '../../../lib/limits.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import type { StoredWebhook } from '../../../lib/model/webhook.ts';
import type { Store } from '../../../lib/mongo/connect.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { findOverlapping } from '../../../lib/webhooks/overlap.ts';
import { recordNotice } from '../../../lib/webhooks/notices.ts';
import { deliveryPorts } from '../../support/delivery-ports.ts';
import { insertWebhook, newAttempt, newDelivery, newEvent } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { newReplayJob } from '../../support/jobs.ts';
import { profile } from '../../support/query-plans.ts';
import { type Receiver, startReceiver } from '../../support/receivers.ts';

const kibibyte = 1_024;
const mebibyte = 1_024 * kibibyte;
const eventCount = 30;
const webhookCount = 8;
const createdAt = new Date(Date.now() - 60_000);

const open = new Disposal();
let installation: Installation;
let receiver: Receiver;
let ports: DeliveryPorts;
const webhooks: StoredWebhook[] = [];
const events: EventDocument[] = [];

beforeAll(async () => {
  installation = open.use(await createInstallation());
  receiver = open.use(await startReceiver((response) => response.writeHead(200).end()));
  const sender = open.use(createHttpSender({ policy: installation.config.egress }));
  ports = deliveryPorts(installation, { sender });
  for (let n = 0; n < webhookCount; n += 1) webhooks.push(await insertLongWebhook());
  for (let n = 0; n < eventCount; n += 1) events.push(longEvent());
  await installation.store.events.insertMany(events);
  for (const event of events.slice(0, webhookCount)) {
    const deliveries = webhooks.map(({ _id }) => longDelivery(event, _id));
    await installation.store.deliveries.insertMany(deliveries);
  }
});

afterAll(() => open[Symbol.asyncDispose]());

function insertLongWebhook(): Promise<StoredWebhook> {
  const description = 'd'.repeat(limits.descriptionCharactersMax);
  const certificate = 'c'.repeat(limits.clientCertificateCharactersMax);
  const facts = { subject: 'CN=a', issuer: 'CN=a', fingerprint256: 'a', notAfter: createdAt };
  const tls = { ...facts, secret: { keyId: 'k', sealed: certificate } };
  const filter = [{ path: 'agentName', is: 'A' }];
  return insertWebhook(installation, { url: receiver.url, description, tls, filter });
}

/** An event with the longest payload, ordered for each of the maximum number of webhooks. */
function longEvent(): EventDocument {
  const others = Array.from({ length: limits.webhooksPerAppCeiling - webhookCount }, (_, n) =>
    `whk_${n}`.padEnd(30, '0'),
  );
  const event = newEvent(installation, [...webhooks.map(({ _id }) => _id), ...others], createdAt);
  const order = others.map((webhookUid) => ({ webhookUid, n: 1 }));
  const text = 'x'.repeat(limits.payloadBytesMax - 400);
  const body = event.body.replace('},"sequence"', `,"text":"${text}"},"sequence"`);
  return { ...event, resourceUid: 'agt_1', order, body };
}

function longDelivery({ _id: eventId }: EventDocument, webhookUid: string): DeliveryDocument {
  const responseSample = 's'.repeat(egressLimits.responseSampleBytesMax);
  const value = 'v'.repeat(egressLimits.responseHeaderBytesMax);
  const responseHeaders = keptHeaders.map((name) => ({ name, value: `${value}…` }));
  const kept = { responseSample, responseHeaders };
  const failed = { status: 503, errorClass: 'status', state: 'retrying', ...kept } as const;
  const attempts = Array.from({ length: limits.attemptsKeptMax }, (_, index) =>
    newAttempt(createdAt, { ...failed, n: index + 1 }),
  );
  const attemptCount = attempts.length;
  const facts = { state: 'retrying', attemptCount, attempts, nextAttemptAt: createdAt } as const;
  return newDelivery(installation, createdAt, { eventId, webhookUid, ...facts });
}

const all = { since: null, until: null, externalTenantId: null, event: null };

const anyEvent = () => ({ ...all, ...wantedOf(), entity: null, resourceUid: null });
const anyDelivery = () => {
  const none = { webhookUid: null, state: null, statusClass: null, errorClass: null };
  return { ...all, ...wantedOf(), ...none };
};

/** The next events of a resource, for a webhook in order. */
function readNumbered(store: Store): Promise<unknown> {
  const [webhookUid = ''] = events[0]?.order.map((each) => each.webhookUid) ?? [];
  const partition = { ...wantedOf(), webhookUid, entity: 'agent', resourceUid: 'agt_1' } as const;
  return findNumbered(store, partition, { from: 1, countMax: 60 });
}

/** The webhooks of a replay. */
function readToReplay(store: Store): Promise<unknown> {
  const webhookUids = webhooks.map(({ _id }) => _id);
  const replay = { ...wantedOf(), webhookUid: null, webhookUids, createdAt: new Date() };
  return countReplay(store, newReplayJob(replay));
}

/** The operations webhooks that get a notice. */
async function readToNotify(store: Store): Promise<void> {
  await store.webhooks.updateMany({}, { $set: { kind: 'operations' } });
  const data = { uid: 'key_1' } as never;
  const notice = { ...wantedOf(), event: 'apikey.expiring', data, now: new Date() } as const;
  await inTransaction(store, (session) => recordNotice(store, notice, session));
  await store.webhooks.updateMany({}, { $set: { kind: 'resources' } });
}

const page = { limit: limits.pageSizeMax, after: null };
const start = { after: '', before: null };
const same = () => ({ ...(webhooks[0] as StoredWebhook), _id: 'whk_new' });

type Read = (store: Store) => Promise<unknown>;
type Collection = 'deliveries' | 'events' | 'webhooks';

const reads: [what: string, collection: Collection, read: Read, bytesMax: number][] = [
  ['deliveries are read for attempts', 'deliveries', readToAttempt, webhookCount * 8 * kibibyte],
  [
    'deliveries are listed',
    'deliveries',
    (store) => readDeliveries(store, anyDelivery(), page),
    2.5 * mebibyte,
  ],
  [
    'events are read for a stream',
    'events',
    (store) => readEventsForward(store, anyEvent(), start),
    8 * mebibyte,
  ],
  ['the next events of a resource are read', 'events', readNumbered, eventCount * kibibyte],
  [
    'events are read for the relay',
    'events',
    (store) => findUnclaimed(store, new Date(), 500),
    eventCount * 50 * kibibyte,
  ],
  ['the webhooks of a replay are read', 'webhooks', readToReplay, webhookCount * kibibyte],
  [
    'webhooks with the same URL are read',
    'webhooks',
    (store) => findOverlapping(store, same()),
    webhookCount * kibibyte,
  ],
  ['operations webhooks are read for a notice', 'webhooks', readToNotify, webhookCount * kibibyte],
];

/** Reads one delivery of each webhook, each of a different event. */
function readToAttempt(): Promise<unknown> {
  return Promise.all(
    webhooks.map(({ appUid, _id: webhookUid }, n) =>
      ports.records.readDelivery({ appUid, eventId: events[n]?._id ?? '', webhookUid }),
    ),
  );
}

function wantedOf(): { appUid: string } {
  return { appUid: installation.app.appUid };
}

const largestOf = (operations: readonly Document[]): number =>
  Math.max(...operations.map((operation) => Number(operation['responseLength'] ?? 0)));

test.each(reads)('when %s, MongoDB returns a bounded number of bytes at a time', async (...row) => {
  const [, collection, read, bytesMax] = row;
  const { store } = installation;
  const operations = await profile(store, collection, () => read(store));
  expect(operations.length).toBeGreaterThan(0);
  expect(largestOf(operations)).toBeLessThan(bytesMax);
});

test('a page of stored events for a stream ends before it exceeds its limit', async () => {
  const { items } = await readEventsForward(installation.store, anyEvent(), start);
  const bytes = items.reduce((sum, { body }) => sum + body.length, 0);
  expect(items.length).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(streamLimits.storedPageBytesMax);
});

test('when payloads are searched for the texts of an erasure, MongoDB returns a bounded number of bytes at a time', async () => {
  const now = new Date();
  // With many webhooks a chunk has fewer events.
  await installation.store.events.updateMany({}, { $set: { webhookUids: [] } });
  const job = newErasure(wantedOf().appUid, { mentions: ['A'] }, now);
  const operations = await profile(installation.store, 'events', () =>
    eraseChunk(installation.store, job, now),
  );
  expect(await installation.store.events.countDocuments({ body: '' })).toBe(eventCount);
  expect(largestOf(operations)).toBeLessThan(6 * mebibyte);
});
