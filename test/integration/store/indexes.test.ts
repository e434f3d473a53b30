// Every partial index is read by the queries it was made for: MongoDB tells what it really did.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Document } from 'mongodb';
import { closeAccountToAgents } from '../../../api/resources/close-account-to-agents.ts';
import { tidyUp } from '../../../lib/delivery/tidy-up.ts';
import { idAt, newId } from '../../../lib/ids.ts';
import { systemCaller } from '../../../lib/model/audit-log.ts';
import type { ErasureDocument } from '../../../lib/model/erasure.ts';
import type { LaneKey } from '../../../lib/model/lane.ts';
import type { UserDocument } from '../../../lib/model/user.ts';
import { removeAllMembers } from '../../../lib/store/accounts.ts';
import { makeAdmin } from '../../../lib/store/admins.ts';
import { findRunningErasure, newErasure } from '../../../lib/store/erasures.ts';
import { findRequeued } from '../../../lib/store/deliveries.ts';
import { findClaimed, findUnclaimed } from '../../../lib/store/events.ts';
import { findBefore, findHead, findInLane } from '../../../lib/store/lanes.ts';
import { findUnstartedRedeliveries, newDiscard } from '../../../lib/store/redeliveries.ts';
import { createUserReader } from '../../../lib/store/user-reader.ts';
import { findOrCreateUser } from '../../../lib/store/users.ts';
import { findFailureAfter, findLastTaken } from '../../../lib/store/webhook-health.ts';
import { findResumed, findSubscriptions } from '../../../lib/store/webhooks.ts';
import { noLanes as wakeLane } from '../../support/delivery-ports.ts';
import { insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { indexesOf, profile } from '../../support/query-plans.ts';
import { startService } from '../../support/service.ts';
import type { TestService } from '../../support/service.ts';

// So many documents of each kind that a plan which reads them all is told from one that does not.
const othersCount = 60;
const at = new Date('2026-01-01T00:00:00Z');
const later = new Date('2026-01-02T00:00:00Z');
const failedAt = new Date('2026-01-03T00:00:00Z');

let service: TestService;
let lane: LaneKey;
let appUid: string;

beforeAll(async () => {
  service = await startService({ worker: false });
  ({ appUid } = service.app);
  lane = { appUid, webhookUid: 'whk_lane', entity: 'agent', resourceUid: 'agt_lane' };
  await Promise.all([
    writeUsers(),
    writeAgents(),
    writeAdmins(),
    writeWebhooks(),
    writeEvents(),
    writeDeliveries(),
    writeRedeliveries(),
    writeErasures(),
  ]);
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

const numbers = Array.from({ length: othersCount }, (_none, index) => index);

async function writeUsers(): Promise<void> {
  const make = (fields: Partial<UserDocument>): UserDocument => ({
    _id: newId('usr', at),
    appUid,
    name: null,
    accountUids: ['acc_other'],
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
    ...fields,
  });
  await service.store.users.insertMany([
    ...numbers.map((n) => make({ externalId: `user-${n}` })),
    ...numbers.map((n) => make({ emailKey: `key-${n}` })),
    ...numbers.map(() => make({ accountUids: [], deletedAt: at })),
    make({ externalId: 'member', accountUids: ['acc_left', 'acc_other'] }),
  ]);
}

async function writeAgents(): Promise<void> {
  const lists = [null, ['acc_other'], [], ['acc_left', 'acc_other']];
  await service.store.agents.insertMany(
    numbers.map((n) => ({
      _id: newId('agt', at),
      appUid,
      externalTenantId: 'tenant-1',
      agentName: 'A',
      live: true,
      description: null,
      accountUids: lists[n] ?? null,
      createdAt: at,
      updatedAt: at,
    })),
  );
}

async function writeAdmins(): Promise<void> {
  const make = (n: number, hasIdentity: boolean) => ({
    ...makeAdmin(
      { email: `${n}-${hasIdentity}@example.com`, passwordHash: null, superuser: false },
      at,
    ),
    ...(hasIdentity ? { identity: { issuer: 'https://id.example', subject: `s-${n}` } } : {}),
  });
  await service.store.admins.insertMany([
    ...numbers.map((n) => make(n, true)),
    ...numbers.map((n) => make(n, false)),
  ]);
}

async function writeWebhooks(): Promise<void> {
  const url = 'http://127.0.0.1:9/';
  await Promise.all(
    numbers.map((n) => insertWebhook(service, { url, entities: [n % 2 ? 'agent' : 'context'] })),
  );
  await insertWebhook(service, { url, entities: ['contextfile'], resumedAt: at });
}

async function writeEvents(): Promise<void> {
  const about = { entity: lane.entity, resourceUid: lane.resourceUid };
  const sent = numbers.map(() => ({ ...newEvent(service, [], at), dispatchedAt: at }));
  const ordered = numbers.map((n) => ({
    ...newEvent(service, [lane.webhookUid], at),
    ...about,
    dispatchedAt: at,
    inOrder: n % 2 === 0,
    sequence: n,
  }));
  const unclaimed = newEvent(service, [], at);
  const claimed = { ...newEvent(service, [], at), workflowId: 'event/evt_1' };
  await service.store.events.insertMany([...sent, ...ordered, unclaimed, claimed]);
}

async function writeDeliveries(): Promise<void> {
  const { webhookUid, entity, resourceUid } = lane;
  const taken = { webhookUid: 'whk_taken', redeliveryUid: 'rdl_taken' };
  const delivered = { state: 'delivered', statusClass: '2xx' } as const;
  const failed = { state: 'exhausted', statusClass: '5xx' } as const;
  const inLane = (sequence: number) => ({ entity, resourceUid, sequence });
  await service.store.deliveries.insertMany([
    ...numbers.map(() => newDelivery(service, at, { webhookUid, ...delivered })),
    newDelivery(service, later, { webhookUid, ...delivered }),
    newDelivery(service, failedAt, { webhookUid, ...failed }),
    ...numbers.map(() => newDelivery(service, new Date(failedAt.getTime() - 1), failed)),
    ...numbers.map(() => newDelivery(service, new Date(), { webhookUid, state: 'held' })),
    ...[1, 2, 3].map((n) => newDelivery(service, at, { webhookUid, lane: inLane(n) })),
    newDelivery(service, at, { state: 'held' }),
    ...[1, 2].map(() => newDelivery(service, at, taken)),
    ...numbers.map(() => newDelivery(service, at, { ...taken, ...delivered })),
  ]);
}

async function writeRedeliveries(): Promise<void> {
  const make = () => newDiscard({ appUid, webhookUids: [] }, at);
  const started = numbers.map(() => ({ ...make(), startedAt: at }));
  await service.store.redeliveries.insertMany([...started, make()]);
}

async function writeErasures(): Promise<void> {
  const make = (state: ErasureDocument['state']): ErasureDocument => ({
    ...newErasure(appUid, { mentions: [] }, at),
    state,
  });
  await service.store.erasures.insertMany([...numbers.map(() => make('done')), make('running')]);
}

const replay = { _id: 'rdl_taken', kind: 'replay' } as const;
const addition = { accountUids: [], caller: systemCaller, now: at };
const kept = 100_000 * 24 * 60 * 60 * 1_000;
const retention = { recordsMs: kept, heldMs: 60 * 60 * 1_000, auditMs: kept };

/** By index, what reads along it: the service's own functions. */
const readings: [index: string, what: string, read: () => Promise<unknown>][] = [
  [
    'users.appExternalId',
    'users who sign in',
    async () => {
      const readUser = createUserReader(service.store);
      const ids = ['user-1', 'user-2', 'nobody'].map((externalId) => ({ externalId }));
      await Promise.all(ids.map((identity) => readUser({ appUid, identity })));
    },
  ],
  [
    'users.appEmailKey',
    'users who sign in by e-mail',
    async () => {
      const readUser = createUserReader(service.store);
      const keys = ['key-1', 'key-2', 'nobody'];
      await Promise.all(keys.map((emailKey) => readUser({ appUid, identity: { emailKey } })));
    },
  ],
  [
    'users.appExternalId',
    'the user whom an upsert is to make',
    () => {
      const wanted = { appUid, identity: { externalId: 'user-3' }, name: null, email: undefined };
      return findOrCreateUser(service.store, { ...wanted, ...addition }, async () => null);
    },
  ],
  [
    'users.appEmailKey',
    'the user whom an upsert by e-mail is to make',
    () => {
      const wanted = { appUid, identity: { emailKey: 'key-3' }, name: null, email: 'e' };
      return findOrCreateUser(service.store, { ...wanted, ...addition }, async () => null);
    },
  ],
  [
    'users.appExternalId',
    'a list of users with an external id',
    () => service.call('GET', '/sdkusers?externalId=user-4'),
  ],
  [
    'users.members',
    'the members of an account that goes',
    () => removeAllMembers(service.store, { appUid, accountUid: 'acc_left' }, at),
  ],
  [
    'agents.appAccount',
    'the agents of an account that goes',
    () => closeAccountToAgents(service.context, { appUid, accountUid: 'acc_left' }),
  ],
  [
    'admins.providerIdentity',
    'the admin of an identity',
    // As the callback of a sign-in through the provider does.
    () =>
      service.store.admins.findOne({ identity: { issuer: 'https://id.example', subject: 's-1' } }),
  ],
  [
    'webhooks.subscribers',
    'who gets an event',
    () => findSubscriptions(service.store, { appUids: [appUid], entities: ['contextfile'] }),
  ],
  ['webhooks.resumed', 'webhooks that were resumed', () => findResumed(service.store, later, 100)],
  [
    'events.toDispatch',
    'events without a workflow',
    () => findUnclaimed(service.store, later, 100),
  ],
  ['events.toDispatch', 'events of lost workflows', () => findClaimed(service.store, later, 100)],
  ['events.resourceInOrder', 'what comes before', () => findBefore(service.store, lane, 50)],
  ['deliveries.lane', 'the head of a lane', () => findHead(service.store, lane)],
  ['deliveries.lane', 'what a lane holds', () => findInLane(service.store, lane, 100)],
  [
    'deliveries.webhookStateStatus',
    'the last delivery that a webhook took',
    () => findLastTaken(service.store, lane, at),
  ],
  [
    'deliveries.webhook',
    'the first delivery that it did not take after that',
    () => findFailureAfter(service.store, lane, idAt('dlv', later)),
  ],
  [
    'deliveries.webhookStateStatus',
    'what a redelivery has taken',
    () => findRequeued(service.store, { ...replay, appUid, webhookUids: ['whk_taken'] }, ''),
  ],
  [
    'deliveries.heldSince',
    'deliveries that were held for too long',
    () => tidyUp({ store: service.store, wakeLane, retention }, { now: new Date(), after: '' }),
  ],
  [
    'redeliveries.toStart',
    'redeliveries without a workflow',
    () => findUnstartedRedeliveries(service.store, later, 100),
  ],
  ['erasures.turn', 'the erasure whose turn it is', () => findRunningErasure(service.store)],
];

test.each(readings)('%s serves %s, and nothing else is looked at', async (index, _what, read) => {
  const [collection = ''] = index.split('.');
  const profiles = await profile(service.store, collection, read);
  const served = profiles.filter(({ execStats }) =>
    indexesOf(execStats as Document, collection).has(index),
  );
  expect(served.length).toBeGreaterThan(0);
  for (const { docsExamined, nreturned, nMatched } of served) {
    const found = Number(nreturned ?? nMatched);
    expect(found).toBeGreaterThan(0);
    expect(docsExamined).toBeLessThanOrEqual(found + 1);
  }
  expect(profiles.map(({ planSummary }) => planSummary)).not.toContain('COLLSCAN');
});

test('no partial index is left without a query that is seen to use it', async () => {
  const partial = await Promise.all(
    (await service.store.db.collections()).map(async (collection) => {
      const indexes = await collection.indexes();
      return indexes
        .filter((index) => index['partialFilterExpression'] !== undefined)
        .map((index) => `${collection.collectionName}.${index.name}`);
    }),
  );
  const seen = new Set(readings.map(([index]) => index));
  expect(partial.flat().length).toBeGreaterThan(0);
  expect(partial.flat().filter((index) => !seen.has(index))).toEqual([]);
});
