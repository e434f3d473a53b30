// What operators see: why webhooks fail and what was changed shortly before, the failing webhooks of all applications, the
// open deliveries, and the settings, none of which is secret.
import { decodeJwt } from 'jose';
import type { Document } from 'mongodb';
import { newId } from '../../../lib/platform/ids.ts';
import type { StoredWebhook } from '../../../lib/model/webhook.ts';
import { addApp } from '../../support/add-app.ts';
import { makeTestAdmin } from '../../support/admin-client.ts';
import type { JsonBody } from '../../support/api-client.ts';
import {
  insertWebhook,
  newAttempt,
  newDelivery,
  newEvent,
  newProcessingFile,
} from '../../support/fixtures.ts';
import { indexesOf, profile } from '../../support/query-plans.ts';
import { startService } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { expectProblem, itemsOf } from './problems.ts';

const since = new Date(Date.now() - 600_000);
const after = (ms: number): Date => new Date(since.getTime() + ms);

const service = useService({ worker: false });

async function failing(fields: Partial<StoredWebhook> = {}): Promise<string> {
  const url = 'http://127.0.0.1:1/';
  return (await insertWebhook(service, { url, failingSince: since, ...fields }))._id;
}

async function fail(webhookUid: string, at: Date, status: number): Promise<string> {
  const attempt = newAttempt(at, { status, errorClass: 'status', state: 'retrying' });
  const delivery = newDelivery(service, at, {
    webhookUid,
    state: 'retrying',
    attempts: [attempt],
    attemptCount: 1,
  });
  await service.store.deliveries.insertOne(delivery);
  return delivery.eventId;
}

async function rotate(webhookUid: string, at: Date): Promise<void> {
  await service.store.auditLog.insertOne({
    _id: newId('aud', at),
    appUid: service.app.appUid,
    action: 'webhook.secret_rotated',
    target: { kind: 'webhook', uid: webhookUid },
    details: {},
    actor: { kind: 'system', uid: null },
    address: null,
    requestId: null,
    createdAt: at,
  });
}

async function failureOf(webhookUid: string): Promise<JsonBody | undefined> {
  const { body } = await service.call('GET', '/stats/failures');
  const failures = body['failures'] as unknown as JsonBody[];
  return failures.find((failure) => failure['webhookUid'] === webhookUid);
}

test('a failing webhook shows its newest failure, one that works is not listed', async () => {
  const uid = await failing();
  await fail(uid, after(0), 500);
  const eventId = await fail(uid, after(1_000), 401);
  const works = await insertWebhook(service, { url: 'http://127.0.0.1:1/' });
  await fail(works._id, after(0), 500);
  expect(await failureOf(uid)).toEqual({
    webhookUid: uid,
    failingSince: since.toISOString(),
    latest: {
      eventId,
      at: after(1_000).toISOString(),
      status: 401,
      errorClass: 'status',
      detail: null,
    },
    change: null,
  });
  expect(await failureOf(works._id)).toBeUndefined();
});

test('a deactivated webhook is listed, even without a failed delivery', async () => {
  const uid = await failing({ active: false, disabledReason: 'gone', failingSince: null });
  const none = { webhookUid: uid, failingSince: null, latest: null, change: null };
  expect(await failureOf(uid)).toEqual(none);
});

const hourMs = 3_600_000;

test.each([
  [0, true],
  [1, false],
  [-hourMs, true],
  [-hourMs - 1, false],
])('a rotation %d ms after the first failure is shown: %j', async (offsetMs, isShown) => {
  const uid = await failing();
  await rotate(uid, after(offsetMs));
  const change = isShown ? { what: 'secret', at: after(offsetMs).toISOString() } : null;
  expect((await failureOf(uid))?.['change']).toEqual(change);
});

test.each([
  [0, true],
  [1, false],
  [-hourMs, true],
  [-hourMs - 1, false],
])('an old secret that ended %d ms after the first failure is shown: %j', async (...row) => {
  const [offsetMs, isShown] = row;
  const until = after(offsetMs);
  const secret = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' })).secret;
  const uid = await failing({ previousSecret: { secret, until, promoted: false } });
  const change = isShown ? { what: 'previous_secret_ended', at: until.toISOString() } : null;
  expect((await failureOf(uid))?.['change']).toEqual(change);
});

test('of more than 100 failing webhooks, those that began last are listed', async () => {
  const app = await addApp(service);
  const owner = { ...service, app };
  const url = 'http://127.0.0.1:1/';
  const uids: string[] = [];
  for (let n = 0; n < 101; n += 1) {
    uids.push((await insertWebhook(owner, { url, failingSince: after(n) }))._id);
  }
  const { body } = await app.call('GET', '/stats/failures');
  const listed = (body['failures'] as unknown as JsonBody[]).map((each) => each['webhookUid']);
  expect(body['moreCount']).toBe(1);
  expect(listed).toEqual(uids.slice(1).toReversed());
});

test('the newest failure is found by an index, without reading others', async () => {
  const uid = await failing();
  for (let n = 0; n < 20; n += 1) await fail(uid, after(n), 500);
  const profiles = await profile(service.store, 'deliveries', () => failureOf(uid));
  expect(profiles.length).toBeGreaterThan(0);
  for (const { execStats, docsExamined, hasSortStage } of profiles) {
    expect(indexesOf(execStats as Document, 'deliveries')).toEqual(
      new Set(['deliveries.webhookState']),
    );
    expect(docsExamined).toBeLessThanOrEqual(1);
    expect(hasSortStage).toBeUndefined();
  }
});

test('the failing webhooks that have failed longest come first, over all applications, 20 by default', async () => {
  await service.store.webhooks.deleteMany({});
  const superuser = await makeTestAdmin(service, { superuser: true });
  const failingSince = (n: number): Date => new Date(Date.UTC(2026, 0, 1, 0, n));
  const other = { ...service, app: await addApp(service) };
  await insertWebhook(service, { url: 'https://works.example/' });
  await insertWebhook(service, { url: 'https://b.example/x', failingSince: failingSince(2) });
  const named = { name: 'CRM', active: false, failingSince: failingSince(1) };
  await insertWebhook(other, { url: 'https://a.example:8443/secret', ...named });
  for (let n = 3; n < 30; n += 1) {
    await insertWebhook(service, { url: 'https://c.example/', failingSince: failingSince(n) });
  }
  const list = (query = '') => superuser.call('GET', `/stats/failing-webhooks${query}`);
  const items = itemsOf(await list());
  expect(items).toHaveLength(20);
  expect(items[0]).toEqual({
    appUid: other.app.appUid,
    webhookUid: expect.stringMatching(/^whk_/),
    name: 'CRM',
    urlOrigin: 'https://a.example:8443',
    active: false,
    failingSince: '2026-01-01T00:01:00.000Z',
  });
  expect(items[1]).toMatchObject({ appUid: service.app.appUid, active: true, name: null });
  const since = items.map((item) => String(item['failingSince']));
  expect(since).toEqual(since.toSorted());
  expect(itemsOf(await list('?limit=100'))).toHaveLength(29);
  for (const limit of ['0', '101']) {
    expectProblem(await list(`?limit=${limit}`), 400, 'invalid_request');
  }
});

const startMs = Date.parse('2026-11-20T12:00:00Z');
const minute = (n: number): Date => new Date(startMs + n * 60_000);
const other = { app: { appUid: 'app_other' } };
const none = { count: 0, countIsCapped: false, oldestAt: null };

async function clear(): Promise<void> {
  const { deliveries, events, contextFiles } = service.store;
  await Promise.all([
    deliveries.deleteMany({}),
    events.deleteMany({}),
    contextFiles.deleteMany({}),
  ]);
}

async function readBacklog(): Promise<Record<string, unknown>> {
  const answer = await service.call('GET', '/stats/backlog');
  expect(answer.status).toBe(200);
  return answer.body;
}

test('each open state has its count and the time of its oldest delivery, and other applications see nothing', async () => {
  await clear();
  expect(await readBacklog()).toEqual({
    at: expect.any(String),
    pending: none,
    retrying: none,
    held: none,
    undispatched: { count: 0, countIsCapped: false },
    overdueFiles: { count: 0, countIsCapped: false, oldest: null },
  });
  await service.store.deliveries.insertMany([
    newDelivery(service, minute(3), { state: 'retrying', event: 'agent.created' }),
    newDelivery(service, minute(2), { state: 'retrying', event: 'webhook.failing' }),
    newDelivery(service, minute(4), { state: 'retrying', event: 'agent.updated' }),
    newDelivery(service, minute(5), { state: 'held' }),
    newDelivery(service, minute(1), { state: 'delivered' }),
    newDelivery(service, minute(1), { state: 'cancelled' }),
    newDelivery(other, minute(1), { state: 'retrying' }),
    newDelivery(other, minute(1), { state: 'pending' }),
  ]);
  const dispatchedAt = minute(1);
  await service.store.events.insertMany([
    newEvent(service, ['whk_1'], minute(1)),
    { ...newEvent(service, ['whk_1'], minute(1)), workflowId: 'batch/1' },
    { ...newEvent(service, ['whk_1'], minute(1)), workflowId: 'batch/2', dispatchedAt },
    newEvent(other, ['whk_2'], minute(1)),
  ]);
  await service.store.contextFiles.insertMany([
    newProcessingFile(service, minute(2)),
    newProcessingFile(service, minute(1), true),
    newProcessingFile(service, new Date(Date.now() - 3_500_000)),
    newProcessingFile(other, minute(0)),
  ]);
  expect(await readBacklog()).toMatchObject({
    pending: none,
    retrying: { count: 3, countIsCapped: false, oldestAt: minute(2).toISOString() },
    held: { count: 1, countIsCapped: false, oldestAt: minute(5).toISOString() },
    undispatched: { count: 2, countIsCapped: false },
    overdueFiles: {
      count: 2,
      countIsCapped: false,
      oldest: { fileName: 'manual.pdf', processingSince: minute(1).toISOString() },
    },
  });
});

test('above 10,000 deliveries and 200 events the counts are capped, and no more is read', async () => {
  await clear();
  const insert = async (count: number, eventCount: number): Promise<void> => {
    const made = Array.from({ length: count }, (_, n) =>
      newDelivery(service, minute(n), { state: 'held' }),
    );
    const waiting = Array.from({ length: eventCount }, () => newEvent(service, [], minute(1)));
    await service.store.deliveries.insertMany(made, { ordered: false });
    await service.store.events.insertMany(waiting, { ordered: false });
    const files = made.map(() => newProcessingFile(service, minute(1)));
    await service.store.contextFiles.insertMany(files, { ordered: false });
  };
  const counts = (countIsCapped: boolean) => ({
    held: { count: 10_000, countIsCapped },
    undispatched: { count: 200, countIsCapped },
    overdueFiles: { count: 10_000, countIsCapped },
  });
  await insert(10_000, 200);
  expect(await readBacklog()).toMatchObject(counts(false));
  await insert(1_000, 100);
  for (const [collection, keysMax] of [
    ['deliveries', 10_100],
    ['contextFiles', 10_100],
    ['events', 201],
  ] as const) {
    const operations = await profile(service.store, collection, async () => {
      expect(await readBacklog()).toMatchObject(counts(true));
    });
    expect(operations.length).toBeGreaterThan(0);
    for (const { planSummary, keysExamined, hasSortStage = false } of operations) {
      expect(planSummary).not.toContain('COLLSCAN');
      expect(hasSortStage).toBe(false);
      expect(keysExamined).toBeLessThanOrEqual(keysMax);
    }
  }
}, 60_000);

test('the settings are those of the process, with durations as text', async () => {
  await using own = await startService({
    worker: false,
    env: {
      HERALD_RETRY_SCHEDULE: '5s,90s,1h',
      HERALD_DEACTIVATE_AFTER: '36h',
      HERALD_PROCESSING_OVERDUE_AFTER: '90m',
      HERALD_RETENTION: '40d',
      HERALD_HELD_FOR: '2d',
      HERALD_AUDIT_RETENTION: '365d',
      HERALD_WEBHOOKS_PER_APP: '7',
      HERALD_USER_TOKEN_LIFETIME: '10m',
      HERALD_TEMPORAL_UI_URL: 'https://temporal.example.com/ui/',
      HERALD_EGRESS_ADDRESSES: '203.0.113.7, 2001:db8::/64',
      HERALD_TRACE_URL_TEMPLATE: 'https://jaeger.example.com/trace/{traceId}',
    },
  });
  const { status, body } = await own.call('GET', '/settings');
  expect(status).toBe(200);
  expect(body).toEqual({
    version: packageJson.version,
    limits: {
      requestBytes: 262_144,
      payloadBytes: 262_144,
      webhooksPerApp: 7,
      attemptTimeout: '5s',
    },
    retrySchedule: ['5s', '90s', '1h'],
    deactivateAfter: '36h',
    processingOverdueAfter: '90m',
    retention: { records: '40d', held: '2d', auditLog: '365d' },
    userTokenLifetime: '10m',
    temporalUiUrl: 'https://temporal.example.com/ui',
    temporalNamespace: own.config.temporal.namespace,
    traceUrlTemplate: 'https://jaeger.example.com/trace/{traceId}',
    egressAddresses: ['203.0.113.7', '2001:db8::/64'],
    signingKeys: [expect.objectContaining({ state: 'active' })],
  });
  const signedIn = await own.call('POST', '/sdkusers/auth', { body: { externalId: 'u' } });
  const { exp = 0, iat = 0 } = decodeJwt(String(signedIn.body['authToken']));
  expect(exp - iat).toBe(600);
  const sources = await own.raw('GET', '/.well-known/webhook-sources.json', { headers: {} });
  expect(sources.body).toEqual({ known: true, addresses: body['egressAddresses'] });
});

test('they contain no secret, and an address that is not set is null', async () => {
  const { body, text } = await service.call('GET', '/settings');
  const sources = await service.raw('GET', '/.well-known/webhook-sources.json', { headers: {} });
  expect(sources.body).toEqual({ known: false, addresses: [] });
  expect(body['temporalUiUrl']).toBeNull();
  expect(body['traceUrlTemplate']).toBeNull();
  const { keyPepper, sealingKeys, mongodb } = service.config;
  const keys = await service.store.signingKeys.find().toArray();
  const secrets = [
    keyPepper,
    mongodb.uri,
    service.app.apiKey,
    ...sealingKeys.map(({ key }) => key.toString('base64')),
    ...keys.map(({ privateKey }) => JSON.stringify(privateKey)),
  ];
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/private|pepper|"d":/i);
});
