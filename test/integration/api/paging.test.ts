// Pages of lists are complete and free of repeats, even while rows are added. A cursor is valid only for the list that
// returned it.
import { routes } from '../../../api/routes.ts';
import { addApp } from '../../support/add-app.ts';
import { makeTestAdmin, type TestAdmin } from '../../support/admin-client.ts';
import type { Answer, ApiClient } from '../../support/api-client.ts';
import { newDelivery } from '../../support/fixtures.ts';
import { useService } from '../../support/use-service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { fillPath, furnishAdminArea, furnishApp, nameOf, type PathUids } from './furnished-app.ts';
import { expectProblem, faultsOf, itemsOf } from './problems.ts';
import { makeAgent, makeContext, makeFile } from './resource-calls.ts';

let superuser: TestAdmin;
let uids: PathUids;
let agentsCursor: string;
let client: ApiClient;

const service = useService({ worker: false });

beforeAll(async () => {
  superuser = await makeTestAdmin(service, { superuser: true });
  uids = {
    ...(await furnishApp(service.apiUrl, service.app)),
    ...(await furnishAdminArea(service.app, superuser)),
  };
  await makeAgent(service);
  agentsCursor = await cursorOf('/agents');
});

beforeEach(async () => {
  client = await addApp(service);
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
    'of the uid alone',
    (cursor) => Buffer.from(cursor, 'base64url').subarray(6).toString('base64url'),
  ],
  ['with its digest only', (cursor) => cursor.slice(0, 8)],
])('a cursor %s is rejected', async (_what, change) => {
  expectRefused(await service.call('GET', `/agents?cursor=${change(agentsCursor)}`));
});

interface Walk {
  path: string;
  limit: number;
  /** Runs after each page. */
  between?: () => Promise<unknown>;
}

/** Follows the cursors of a list to its end and returns the uids, page by page. */
async function walk({ path, limit, between }: Walk): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const query = `${path.includes('?') ? '&' : '?'}limit=${limit}${after}`;
    const answer = await client.call('GET', `${path}${query}`);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['data', 'nextCursor']);
    pages.push(itemsOf(answer).map((item) => String(item['uid'] ?? item['eventId'])));
    cursor = answer.body['nextCursor'] as unknown as string | null;
    expect(pages.length).toBeLessThan(20);
    await between?.();
  }
  return pages;
}

test('an empty list is one empty page', async () => {
  expect(await walk({ path: '/agents', limit: 1 })).toEqual([[]]);
});

test.each([
  [1, [1, 1, 1, 1, 1]],
  [2, [2, 2, 1]],
  [4, [4, 1]],
  [5, [5]],
  [6, [5]],
  [200, [5]],
])('pages of %d of five agents hold %j, newest first', async (limit, sizes) => {
  const uids: string[] = [];
  for (let i = 0; i < 5; i += 1) uids.push(await makeAgent(client));
  const pages = await walk({ path: '/agents', limit });
  expect(pages.map((page) => page.length)).toEqual(sizes);
  expect(pages.flat()).toEqual(uids.toSorted().toReversed());
});

test('rows added during paging do not shift the pages', async () => {
  const uids: string[] = [];
  for (let i = 0; i < 6; i += 1) uids.push(await makeAgent(client));
  const pages = await walk({ path: '/agents', limit: 2, between: () => makeAgent(client) });
  expect(pages.slice(1).flat()).toHaveLength(4);
  expect(pages.flat()).toEqual(uids.toSorted().toReversed());
});

test('a row deleted during paging, even the one of the cursor, skips no other', async () => {
  const uids: string[] = [];
  for (let i = 0; i < 4; i += 1) uids.push(await makeAgent(client));
  const sorted = uids.toSorted().toReversed();
  let deleted = false;
  const pages = await walk({
    path: '/agents',
    limit: 2,
    async between() {
      if (!deleted) await client.call('DELETE', `/agents/${sorted[1] ?? ''}`);
      deleted = true;
    },
  });
  expect(pages.flat()).toEqual(sorted);
});

test('without a limit a page has 50', async () => {
  await Promise.all(Array.from({ length: 51 }, () => makeAgent(client)));
  const answer = await client.call('GET', '/agents');
  expect(itemsOf(answer)).toHaveLength(50);
  expect(answer.body['nextCursor']).not.toBeNull();
});

test('pages of files stay within their context, and pages of events within their application', async () => {
  const [one, two] = [await makeContext(client), await makeContext(client)];
  const files = [
    await makeFile(client, one),
    await makeFile(client, one),
    await makeFile(client, one),
  ];
  const other = await makeFile(client, two);
  const pages = await walk({ path: `/contexts/${one}/files`, limit: 2 });
  expect(pages.flat().toSorted()).toEqual(files.toSorted());
  expect(pages.flat()).not.toContain(other);
  const events = (await walk({ path: '/events', limit: 3 })).flat();
  expect(events).toHaveLength(6);
  expect(new Set(events).size).toBe(6);
});

test('a list of events includes since and excludes until, page by page', async () => {
  for (let n = 0; n < 4; n += 1) {
    await makeAgent(client);
    // Events of one millisecond cannot be separated by time.
    const madeAt = Date.now();
    await waitFor(() => Date.now() > madeAt);
  }
  const events = itemsOf(await client.call('GET', '/events'));
  const [, third, second] = events;
  const since = String(second?.['timestamp']);
  const until = String(third?.['timestamp']);
  const listed = async (query: string) =>
    (await walk({ path: `/events?${query}`, limit: 1 })).flat();
  const ids = events.map((event) => event['eventId']);
  expect(await listed(`since=${since}`)).toEqual(ids.slice(0, 3));
  expect(await listed(`until=${until}`)).toEqual(ids.slice(2));
  expect(await listed(`since=${since}&until=${until}`)).toEqual([second?.['eventId']]);
});

test('the list of events does not read payloads', async () => {
  const { db } = service.store;
  const data = { uid: 'long', externalTenantId: 't', text: 'x'.repeat(200_000) };
  for (let n = 0; n < 5; n += 1) {
    const body = { event: 'agent.updated', data };
    expect((await client.call('POST', '/changes', { body })).status).toBe(202);
  }
  await db.command({ profile: 2 });
  expect(itemsOf(await client.call('GET', '/events?limit=5'))).toHaveLength(5);
  await db.command({ profile: 0 });
  const reads = db
    .collection('system.profile')
    .find({ op: 'query', ns: `${db.databaseName}.events` });
  const [read, ...more] = await reads.toArray();
  expect(more).toEqual([]);
  expect(read?.['nreturned']).toBe(5);
  expect(read?.['responseLength']).toBeLessThan(10_000);
});

test.each([
  'limit=0',
  'limit=201',
  'limit=-1',
  'limit=1e2',
  'limit=',
  'limit=0x10',
  'limit=%201',
  'limit=%C2%B2',
])('the query ?%s gets 400 for its limit', async (query) => {
  const answer = await service.call('GET', `/agents?${query}`);
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toEqual(['limit range']);
});
