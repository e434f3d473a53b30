// A cursor is valid only for the list that returned it. Every other list rejects it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../../api/routes.ts';
import { addApp } from '../../support/add-app.ts';
import { makeTestAdmin, type TestAdmin } from '../../support/admin-client.ts';
import type { Answer } from '../../support/api-client.ts';
import { newDelivery } from '../../support/fixtures.ts';
import { startService, type TestService } from '../../support/service.ts';
import { fillPath, furnishAdminArea, furnishApp, nameOf, type PathUids } from './furnished-app.ts';
import { expectProblem, faultsOf, itemsOf } from './problems.ts';
import { makeAgent, makeContext, makeFile } from './resource-calls.ts';

let service: TestService;
let superuser: TestAdmin;
let uids: PathUids;
let agentsCursor: string;

beforeAll(async () => {
  service = await startService({ worker: false });
  superuser = await makeTestAdmin(service, { superuser: true });
  uids = {
    ...(await furnishApp(service.apiUrl, service.app)),
    ...(await furnishAdminArea(service.app, superuser)),
  };
  await makeAgent(service);
  agentsCursor = await cursorOf('/agents');
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

/** Returns the cursor after the first item of a list. */
async function cursorOf(path: string): Promise<string> {
  const answer = await service.call('GET', `${path}${path.includes('?') ? '&' : '?'}limit=1`);
  expect(answer.body['nextCursor']).toEqual(expect.any(String));
  return String(answer.body['nextCursor']);
}

function expectRefused(answer: Answer): void {
  expectProblem(answer, 400, 'invalid_cursor');
  expect(faultsOf(answer)).toEqual(['cursor list']);
}

const others = routes
  .filter(({ handler }) => 'cursor' in (handler.parameters ?? {}))
  .filter(({ path }) => path !== '/api/v1/appuid/:appUid/agents')
  .map((route) => [nameOf(route), route] as const);

test.each(others)('%s rejects a cursor of the list of agents', async (_name, route) => {
  const path = `${fillPath(route, uids)}?cursor=${agentsCursor}`;
  const headers =
    route.access.kind === 'key' ? { 'x-api-key': service.app.apiKey } : superuser.headers;
  expectRefused(await service.raw('GET', path, { headers }));
});

test('the list of agents accepts its own cursor, even with another page size', async () => {
  const all = itemsOf(await service.call('GET', '/agents'));
  for (const limit of ['', '&limit=1', '&limit=200']) {
    const next = await service.call('GET', `/agents?cursor=${agentsCursor}${limit}`);
    expect(itemsOf(next)).toEqual(all.slice(1));
  }
});

test("another application's list of agents rejects the cursor", async () => {
  const other = await addApp(service);
  await makeAgent(other);
  expectRefused(await other.call('GET', `/agents?cursor=${agentsCursor}`));
});

test("the list of a context's files rejects a cursor of another context's", async () => {
  const [one, two] = [await makeContext(service), await makeContext(service)];
  for (const context of [one, one, two, two]) await makeFile(service, context);
  const cursor = await cursorOf(`/contexts/${one}/files`);
  expectRefused(await service.call('GET', `/contexts/${two}/files?cursor=${cursor}`));
  expect((await service.call('GET', `/contexts/${one}/files?cursor=${cursor}`)).status).toBe(200);
});

test("one admin's list of applications rejects another's cursor", async () => {
  await superuser.call('POST', '/apps', { body: { name: 'Second' } });
  const first = await superuser.call('GET', '/apps?limit=1');
  const query = `?cursor=${String(first.body['nextCursor'])}`;
  expect((await superuser.call('GET', `/apps${query}`)).status).toBe(200);
  const admin = await makeTestAdmin(service, { superuser: true });
  expectRefused(await admin.call('GET', `/apps${query}`));
});

test('a filtered list rejects a cursor of other filters and accepts its own filters in any order', async () => {
  const webhookUid = uids['webhookUid'] ?? '';
  const at = new Date('2026-11-20T12:00:00Z');
  await service.store.deliveries.insertMany(
    ['evt_1', 'evt_2', 'evt_3'].map((eventId) =>
      newDelivery(service, at, { eventId, webhookUid, state: 'delivered', statusClass: '2xx' }),
    ),
  );
  const path = `/webhooks/${webhookUid}/deliveries`;
  const filters = 'state=delivered&since=2026-11-20T11:00:00Z';
  const cursor = await cursorOf(`${path}?${filters}`);
  const list = (query: string) => service.call('GET', `${path}?${query}&cursor=${cursor}`);
  for (const same of [
    filters,
    'since=2026-11-20T11:00:00Z&state=delivered',
    'since=2026-11-20T12:00:00%2B01:00&state=%64elivered',
  ]) {
    expect(itemsOf(await list(same))).toHaveLength(2);
  }
  for (const other of [
    '',
    'state=delivered',
    'since=2026-11-20T11:00:00Z',
    'state=held&since=2026-11-20T11:00:00Z',
    'state=delivered&since=2026-11-20T11:00:00.001Z',
    'state=delivered&until=2026-11-20T11:00:00Z',
    `${filters}&statusClass=2xx`,
  ]) {
    expectRefused(await list(other));
  }
});

test.each<[string, (cursor: string) => string]>([
  ['without its last character', (cursor) => cursor.slice(0, -1)],
  ['with one more character', (cursor) => `${cursor}A`],
  ['with padding', (cursor) => `${cursor}=`],
  [
    'with another first character',
    (cursor) => (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1),
  ],
  [
    'with another last character',
    (cursor) => cursor.slice(0, -1) + (cursor.endsWith('0') ? '1' : '0'),
  ],
  [
    'of the uid alone',
    (cursor) => Buffer.from(cursor, 'base64url').subarray(6).toString('base64url'),
  ],
  ['with its digest only', (cursor) => cursor.slice(0, 8)],
])('a cursor %s is rejected', async (_what, change) => {
  expectRefused(await service.call('GET', `/agents?cursor=${change(agentsCursor)}`));
});

test('a cursor is short and needs no escaping', () => {
  expect(agentsCursor).toMatch(/^[\w-]{48}$/);
});
