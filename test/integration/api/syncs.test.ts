// The requests for a sync, and its representation. Its pages are tested in test/integration/jobs/sync-page.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../lib/platform/ids.ts';
import { addApp, type TestApp } from '../../support/add-app.ts';
import { startService, type TestService } from '../../support/service.ts';
import { registerWebhook } from '../../support/webhook-calls.ts';
import { expectProblem, faultsOf, itemsOf } from './problems.ts';

let service: TestService;
let app: TestApp;
let webhookUid: string;

const entities = ['agent', 'context', 'contextfile'];
const url = 'http://127.0.0.1:1/';

beforeAll(async () => {
  service = await startService({ worker: false });
  app = await addApp(service);
  ({ uid: webhookUid } = await registerWebhook(app, { url, entities }));
});

afterAll(() => service?.[Symbol.asyncDispose]());

const sync = (body: unknown, uid = webhookUid) =>
  app.call('POST', `/webhooks/${uid}/sync`, { body });

const tenants = (count: number) => Array.from({ length: count }, (_, index) => `tenant-${index}`);

test.each([
  [{ entities: [] }, '#/entities minItems'],
  [{ entities: ['user'] }, '#/entities/0 enum'],
  [{ entities: ['agent', 'agent'] }, '#/entities uniqueItems'],
  [{ externalTenantIds: [] }, '#/externalTenantIds minItems'],
  [{ externalTenantIds: tenants(101) }, '#/externalTenantIds maxItems'],
  [{ perSecond: 0 }, '#/perSecond minimum'],
  [{ perSecond: 101 }, '#/perSecond maximum'],
  [{ dryRun: 'yes' }, '#/dryRun type'],
])('a sync of %j is rejected', async (body, fault) => {
  const answer = await sync(body);
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toEqual([fault]);
});

test('a webhook of the kind operations cannot be synced, and an unknown one neither', async () => {
  const body = { url, kind: 'operations' };
  const operations = await app.call('POST', '/webhooks', { body });
  const uid = String(operations.body['uid']);
  for (const dryRun of [false, true]) {
    expectProblem(await sync({ dryRun }, uid), 409, 'conflict');
    expectProblem(await sync({ dryRun }, newId('whk')), 404, 'not_found');
  }
});

test('a dry run counts the resources by entity, as the request and the webhook select them', async () => {
  const make = (path: string, body: object) => app.call('POST', path, { body });
  for (const externalTenantId of ['a', 'a', 'b']) {
    await make('/agents', { agentName: 'A', externalTenantId, live: externalTenantId === 'b' });
  }
  const context = await make('/contexts', { contextName: 'C', externalTenantId: 'a' });
  const file = { fileName: 'f', contentType: 'a/b', sizeBytes: 1 };
  await make(`/contexts/${String(context.body['uid'])}/files`, file);
  const data = { uid: 'ctx-1', externalTenantId: 'b' };
  await make('/changes', { event: 'context.created', data });
  await make('/changes', { event: 'agent.deleted', data });
  const counted = async (body: object, uid?: string) => {
    const answer = await sync({ dryRun: true, ...body }, uid);
    const { dryRun, count, countIsCapped, counts } = answer.body;
    expect([answer.status, dryRun, countIsCapped]).toEqual([200, true, false]);
    return [count, counts];
  };
  // The webhook is about to get the event of the context that was just reported.
  expect(await counted({})).toEqual([5, { agent: 3, context: 1, contextfile: 1 }]);
  const agents = [1, { agent: 1, context: 0, contextfile: 0 }];
  expect(await counted({ entities: ['agent'], externalTenantIds: ['b'] })).toEqual(agents);
  const live = await registerWebhook(app, { url, filter: { live: true } });
  expect(await counted({}, live.uid)).toEqual(agents);
  expect(await counted({ entities }, live.uid)).toEqual(agents);
  const later = await registerWebhook(app, { url, entities: ['context'], active: false });
  expect(await counted({}, later.uid)).toEqual([2, { agent: 0, context: 2, contextfile: 0 }]);
  expect(await service.store.jobs.countDocuments({ appUid: app.appUid })).toBe(0);
});

test('a sync is shown with its progress, listed newest first, and cancelled once', async () => {
  const started = await sync({ externalTenantIds: ['a'], perSecond: 7 });
  const uid = String(started.body['uid']);
  const shown = {
    uid,
    webhookUid,
    entities,
    externalTenantIds: ['a'],
    perSecond: 7,
    state: 'running',
    releasedCount: 0,
    counts: { agent: 0, context: 0, contextfile: 0 },
    createdAt: started.body['createdAt'],
    finishedAt: null,
  };
  expect(started.body).toEqual({ ...shown, isPaused: false });
  const path = started.headers.get('location') ?? '';
  expect((await app.raw('GET', path)).body).toEqual(shown);
  const other = await registerWebhook(app, { url, active: false });
  const paused = await sync({}, other.uid);
  expect(paused.body).toMatchObject({ isPaused: true, entities: ['agent'] });
  const listed = async (query = '') => {
    const items = itemsOf(await app.call('GET', `/syncs${query}`));
    return items.map((item) => item['uid']);
  };
  expect(await listed()).toEqual([paused.body['uid'], uid]);
  expect(await listed(`?webhookUid=${webhookUid}`)).toEqual([uid]);
  for (const times of [1, 2]) {
    const cancelled = await app.call('POST', `/syncs/${uid}/cancel`);
    expect([times, cancelled.body['state']]).toEqual([times, 'cancelled']);
  }
  const rows = await service.store.auditLog.find({ 'target.uid': uid }).toArray();
  expect(rows.map(({ action }) => action)).toEqual(['sync.created', 'sync.cancelled']);
  expect(JSON.stringify(rows)).not.toContain('"a"');
});

test('a repeat with the same Idempotency-Key starts no second sync', async () => {
  const headers = { 'x-api-key': app.apiKey, 'Idempotency-Key': 'sync-1' };
  const call = () => app.call('POST', `/webhooks/${webhookUid}/sync`, { body: {}, headers });
  const first = await call();
  expect((await call()).body['uid']).toBe(first.body['uid']);
});

test("another application's sync is not found", async () => {
  const { body } = await sync({});
  for (const path of ['', '/cancel']) {
    const method = path === '' ? 'GET' : 'POST';
    const answer = await service.call(method, `/syncs/${String(body['uid'])}${path}`);
    expectProblem(answer, 404, 'not_found');
  }
});
