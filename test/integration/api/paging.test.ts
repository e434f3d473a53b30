// Pages of lists are complete and free of repeats, even while rows are added.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addApp } from '../../support/add-app.ts';
import type { ApiClient } from '../../support/api-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { makeAgent, makeContext, makeFile } from './resource-calls.ts';
import { itemsOf } from './problems.ts';
import { waitFor } from '../../support/wait-for.ts';

let service: TestService;
let client: ApiClient;

beforeAll(async () => {
  service = await startService({ worker: false });
});

beforeEach(async () => {
  client = await addApp(service);
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
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

test('erasures are listed newest first, without replays and without their subjects', async () => {
  const uids: string[] = [];
  for (const externalTenantId of ['tenant-a', 'tenant-b']) {
    const { body } = await client.call('POST', '/erasures', { body: { externalTenantId } });
    uids.push(String(body['uid']));
    await client.call('POST', '/replays', { body: { since: '2026-01-01T00:00:00Z' } });
  }
  const [newest, oldest] = itemsOf(await client.call('GET', '/erasures'));
  expect([newest?.['uid'], oldest?.['uid']]).toEqual(uids.toReversed());
  expect(Object.keys(newest ?? {}).toSorted()).toEqual(
    ['uid', 'state', 'erasedCount', 'createdAt', 'finishedAt'].toSorted(),
  );
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

test('the list of events has no payloads, and new deliveries are pending', async () => {
  const body = { url: 'http://127.0.0.1:9/', entities: ['agent'] };
  const webhooks = [
    await client.call('POST', '/webhooks', { body }),
    await client.call('POST', '/webhooks', { body }),
  ];
  const uids = webhooks.map((webhook) => String(webhook.body['uid'])).toSorted();
  const agentUid = await makeAgent(client);
  const [event] = itemsOf(await client.call('GET', '/events'));
  expect(event).toMatchObject({
    event: 'agent.created',
    resourceUid: agentUid,
    externalTenantId: 'tenant',
  });
  expect(event).not.toHaveProperty('payload');
  const path = `/events/${String(event?.['eventId'])}/deliveries`;
  const first = await client.call('GET', `${path}?limit=1`);
  const second = await client.call(
    'GET',
    `${path}?limit=1&cursor=${String(first.body['nextCursor'])}`,
  );
  const found = [...itemsOf(first), ...itemsOf(second)];
  expect(found.map((delivery) => delivery['webhookUid'])).toEqual(uids);
  expect(found.map((delivery) => delivery['state'])).toEqual(['pending', 'pending']);
  expect(second.body['nextCursor']).toBeNull();
});
