// Documents as large as tenants can make them: each read still returns a limited amount at a time.
import type { Document } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attemptDelivery } from '../../../lib/deliveries/attempt-delivery.ts';
import { readDeliveries } from '../../../lib/history/delivery-lists.ts';
import { eraseChunk, newErasure } from '../../../lib/jobs/erasures.ts';
import { findNumbered } from '../../../lib/order/partitions.ts';
import { countReplay } from '../../../lib/jobs/replay-page.ts';
import type { DeliveryPorts } from '../../../lib/deliveries/ports.ts';
import { keptHeaders } from '../../../lib/egress/describe-response.ts';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { readEventsForward } from '../../../lib/events/event-lists.ts';
import { findUnclaimed } from '../../../lib/events/events.ts';
import { egressLimits, limits, streamLimits } from '../../../lib/limits.ts';
import type { DeliveryDocument } from '../../../lib/model/delivery.ts';
import type { EventDocument } from '../../../lib/model/event.ts';
import type { StoredWebhook } from '../../../lib/model/webhook.ts';
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

const reads: Record<
  string,
  {
    collection: 'deliveries' | 'events' | 'webhooks';
    read: () => Promise<unknown>;
    bytesMax: number;
  }
> = {
  'deliveries of several events and webhooks are read for attempts': {
    collection: 'deliveries',
    read: readToAttempt,
    bytesMax: webhookCount * 8 * kibibyte,
  },
  'deliveries are listed': {
    collection: 'deliveries',
    read: () =>
      readDeliveries(
        installation.store,
        {
          ...all,
          ...wantedOf(),
          webhookUid: null,
          state: null,
          statusClass: null,
          errorClass: null,
        },
        { limit: limits.pageSizeMax, after: null },
      ),
    bytesMax: 2.5 * mebibyte,
  },
  'events are read for a stream': {
    collection: 'events',
    read: () =>
      readEventsForward(
        installation.store,
        { ...all, ...wantedOf(), entity: null, resourceUid: null },
        { after: '', before: null },
      ),
    bytesMax: 8 * mebibyte,
  },
  'the next events of a resource are read for a webhook in order': {
    collection: 'events',
    read: () => {
      const [webhookUid = ''] = events[0]?.order.map((each) => each.webhookUid) ?? [];
      const partition = {
        ...wantedOf(),
        webhookUid,
        entity: 'agent',
        resourceUid: 'agt_1',
      } as const;
      return findNumbered(installation.store, partition, { from: 1, countMax: 60 });
    },
    bytesMax: eventCount * kibibyte,
  },
  'events are read for the relay': {
    collection: 'events',
    read: () => findUnclaimed(installation.store, new Date(), 500),
    bytesMax: eventCount * 50 * kibibyte,
  },
  'the webhooks of a replay are read': {
    collection: 'webhooks',
    read: () => {
      const webhookUids = webhooks.map(({ _id }) => _id);
      const replay = { ...wantedOf(), webhookUid: null, webhookUids, createdAt: new Date() };
      return countReplay(installation.store, newReplayJob(replay));
    },
    bytesMax: webhookCount * kibibyte,
  },
  'webhooks with the same URL are read': {
    collection: 'webhooks',
    read: () =>
      findOverlapping(installation.store, { ...(webhooks[0] as StoredWebhook), _id: 'whk_new' }),
    bytesMax: webhookCount * kibibyte,
  },
  'operations webhooks are read for a notice': {
    collection: 'webhooks',
    read: async () => {
      const { store } = installation;
      await store.webhooks.updateMany({}, { $set: { kind: 'operations' } });
      const data = { uid: 'key_1' } as never;
      const notice = { ...wantedOf(), event: 'apikey.expiring', data, now: new Date() } as const;
      await inTransaction(store, (session) => recordNotice(store, notice, session));
      await store.webhooks.updateMany({}, { $set: { kind: 'resources' } });
    },
    bytesMax: webhookCount * kibibyte,
  },
};

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

test.each(Object.entries(reads))(
  'when %s, MongoDB returns a bounded number of bytes at a time',
  async (_name, { collection, read, bytesMax }) => {
    const operations = await profile(installation.store, collection, read);
    expect(operations.length).toBeGreaterThan(0);
    expect(largestOf(operations)).toBeLessThan(bytesMax);
  },
);

test('MongoDB examines only the deliveries that attempts need', async () => {
  const operations = await profile(installation.store, 'deliveries', readToAttempt);
  const examined = operations.map((operation) => Number(operation['docsExamined']));
  expect(examined).toEqual([webhookCount]);
});

test('a page of stored events for a stream ends before it exceeds its limit', async () => {
  const wanted = { ...all, ...wantedOf(), entity: null, resourceUid: null };
  const { items } = await readEventsForward(installation.store, wanted, {
    after: '',
    before: null,
  });
  const bytes = items.reduce((sum, { body }) => sum + body.length, 0);
  expect(items.length).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(streamLimits.storedPageBytesMax);
});

test('a retry does not change the responses of earlier attempts', async () => {
  const { store } = installation;
  const [event] = events.slice(1);
  const [webhook] = webhooks;
  const key = { ...wantedOf(), eventId: event?._id ?? '', webhookUid: webhook?._id ?? '' };
  await store.webhooks.updateOne({ _id: key.webhookUid }, { $set: { tls: null } });
  await store.deliveries.updateOne(key, { $pop: { attempts: -1 }, $set: { attemptCount: 20 } });
  const before = await store.deliveries.findOne(key);
  const signal = new AbortController().signal;
  await attemptDelivery(ports, key, { caller: { kind: 'event' }, signal });
  const after = await store.deliveries.findOne(key);
  expect(after).toMatchObject({ state: 'delivered', attemptCount: 21 });
  expect(after?.attempts.slice(0, 20)).toEqual(before?.attempts);
});

test('when payloads are searched for the texts of an erasure, MongoDB returns a bounded number of bytes at a time', async () => {
  const now = new Date();
  // With many webhooks a chunk has fewer events.
  await installation.store.events.updateMany({}, { $set: { webhookUids: [] } });
  const job = newErasure(wantedOf().appUid, { mentions: ['A'] }, now);
  const operations = await profile(installation.store, 'events', () =>
    eraseChunk(ports, job, { page: 1, now }),
  );
  expect(await installation.store.events.countDocuments({ body: '' })).toBe(eventCount);
  expect(largestOf(operations)).toBeLessThan(6 * mebibyte);
});
