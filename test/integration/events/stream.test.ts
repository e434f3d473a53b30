// The live stream of events: what a reader gets and in which order, also after an interruption, and when its stream
// ends.
import { parseApiKey } from '../../../lib/access/api-key.ts';
import { streamLimits } from '../../../lib/limits.ts';
import { addApp, type TestApp } from '../../support/add-app.ts';
import { openStream, type StreamReader } from '../../support/event-stream.ts';
import { insertEvent, newEvent } from '../../support/fixtures.ts';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { expectProblem, makeKey } from '../api/problems.ts';

let service: TestService;

beforeAll(async () => {
  // One request at a time, so that a stream that kept a permit would block everything.
  service = await startService({ worker: false, env: { HERALD_REQUESTS_AT_ONCE: '1' } });
});

afterAll(() => service?.[Symbol.asyncDispose]());

/** Returns a separate application, so that tests do not see each other's events. */
async function newApp(): Promise<TestApp & { of: { apiUrl: string; app: TestApp } }> {
  const app = await addApp(service);
  return { ...app, of: { apiUrl: service.apiUrl, app } };
}

const data = { uid: 'agt_1', externalTenantId: 'tenant-1' };

async function report(app: TestApp, changes: object = {}): Promise<string> {
  const body = { event: 'agent.updated', data: { ...data, ...changes } };
  const answer = await app.call('POST', '/changes', { body });
  expect(answer.status).toBe(202);
  return String(answer.body['eventId']);
}

async function isOpened(reader: StreamReader): Promise<void> {
  await waitFor(() => reader.messages.some(({ type }) => type === 'opened'), {
    what: 'the opening',
  });
}

async function has(reader: StreamReader, eventIds: readonly string[]): Promise<void> {
  const state = () => reader.eventIds();
  await waitFor(() => reader.eventIds().length >= eventIds.length, { state });
  expect(reader.eventIds()).toEqual(eventIds);
}

async function reasonOf(reader: StreamReader): Promise<string> {
  await reader.ended;
  const last = reader.messages.at(-1);
  expect(last?.type).toBe('closed');
  return String(last?.data['reason']);
}

test('an event arrives within 300 ms of the response to its change, in the form of GET …/events/{eventId}', async () => {
  const app = await newApp();
  using reader = await openStream(app.of);
  expect(reader.status).toBe(200);
  expect(reader.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'close',
  });
  await isOpened(reader);
  const waitsMs: number[] = [];
  const ids: string[] = [];
  for (let n = 1; n <= 10; n += 1) {
    const startedAtMs = performance.now();
    ids.push(await report(app));
    const callMs = performance.now() - startedAtMs;
    await has(reader, ids);
    // The time of the call is the control, because other tests keep the machine busy.
    waitsMs.push(Number(reader.messages.at(-1)?.atMs) - startedAtMs - 2 * callMs);
  }
  expect(waitsMs.toSorted((a, b) => a - b)[5]).toBeLessThan(300);
  const message = reader.messages.at(-1);
  const eventId = ids.at(-1);
  const { body } = await app.call('GET', `/events/${eventId}`);
  expect(message?.data).toEqual(body);
});

test('a change right after the headers of the response is in the stream', async () => {
  const app = await newApp();
  using reader = await openStream(app.of);
  await has(reader, [await report(app)]);
});

test('a stream has only the events of its filters and application, and no tests of webhooks', async () => {
  const app = await newApp();
  const other = await newApp();
  const wanted = { externalTenantId: 'wanted' };
  using ofTenant = await openStream(app.of, { query: '?externalTenantId=wanted' });
  using ofEntity = await openStream(app.of, { query: '?entity=context' });
  using ofEvent = await openStream(app.of, { query: '?event=agent.updated&resourceUid=agt_1' });
  const test = newEvent({ ...service, app }, [], new Date());
  await service.store.events.insertOne({ ...test, event: 'webhook.test', entity: 'webhook' });
  await report(other);
  const first = await report(app);
  const second = await report(app, { uid: 'agt_2', ...wanted });
  const body = { contextName: 'C', ...wanted };
  expect((await app.call('POST', '/contexts', { body })).status).toBe(201);
  const { body: list } = await app.call('GET', '/events?entity=context');
  const third = String((list['data'] as unknown as { eventId: string }[])[0]?.eventId);
  await has(ofTenant, [second, third]);
  await has(ofEntity, [third]);
  await has(ofEvent, [first]);
});

describe.each([
  ['alone', false],
  ['next to another one, which keeps the log', true],
])('a reader %s', (_name, isBeside) => {
  let other: StreamReader | null = null;

  beforeAll(async () => {
    if (!isBeside) return;
    other = await openStream((await newApp()).of);
    await isOpened(other);
  });

  afterAll(() => other?.[Symbol.dispose]());

  test('that was interrupted gets each later event once, in the order of the commits', async () => {
    const app = await newApp();
    const first = await openStream(app.of);
    await isOpened(first);
    const before = await report(app);
    await has(first, [before]);
    first[Symbol.dispose]();
    // Made before the one that the reader has, and committed after it.
    const late = await insertEvent({ ...service, app }, [], new Date(Date.now() - 60_000));
    const missed = await report(app);
    using second = await openStream(app.of, { lastEventId: first.lastEventId() });
    const live = await report(app);
    await has(second, [late._id, missed, live]);
  });

  test('that was interrupted before its first event misses none', async () => {
    const app = await newApp();
    const first = await openStream(app.of);
    await isOpened(first);
    first[Symbol.dispose]();
    const missed = await report(app);
    using second = await openStream(app.of, { lastEventId: first.lastEventId() });
    await has(second, [missed]);
  });

  test('gets missed events as they are stored now, with the time of the commit in the ID', async () => {
    const app = await newApp();
    using first = await openStream(app.of);
    await isOpened(first);
    await has(first, [await report(app)]);
    first[Symbol.dispose]();
    const erased = await report(app);
    const { events } = service.store;
    await events.updateOne({ _id: erased }, { $set: { body: '', erasedAt: new Date() } });
    const deleted = await report(app);
    await events.deleteOne({ _id: deleted });
    const kept = await report(app);
    const resumedAtMs = Date.now();
    using second = await openStream(app.of, { lastEventId: first.lastEventId() });
    await has(second, [erased, kept]);
    expect(second.eventIds()).not.toContain(deleted);
    const message = second.messages.find(({ data }) => data['eventId'] === erased);
    expect(message?.data['payload']).toBeNull();
    expect(parseInt(second.lastEventId().split('.')[0] ?? '', 36)).toBeLessThan(resumedAtMs);
  });
});

test('if the commits are no longer known, stored events follow from 3 minutes before the interruption', async () => {
  const app = await newApp();
  const owner = { ...service, app };
  const cutAtMs = Date.now() - 20 * 60_000;
  const minutes = [-4, -3.1, -2.9, 1, 18, 19.9];
  const made = [];
  for (const n of minutes) made.push(await insertEvent(owner, [], new Date(cutAtMs + n * 60_000)));
  using reader = await openStream(app.of, { lastEventId: cutAtMs.toString(36) });
  const live = await report(app);
  await has(reader, [...made.slice(2).map(({ _id }) => _id), live]);
});

test.each([
  ['a token that MongoDB refuses', '8263B0000000000001'],
  ['a token that is not in the oplog', '8210000000000000012B0229296E04'],
])('%s loses no event', async (_name, token) => {
  const app = await newApp();
  const eventId = await report(app);
  const lastEventId = `${Date.now().toString(36)}.${token}`;
  using reader = await openStream(app.of, { lastEventId });
  await has(reader, [eventId]);
});

test('with since the stored events come first, and those made meanwhile are neither lost nor duplicated', async () => {
  const app = await newApp();
  const owner = { ...service, app };
  const sinceMs = Date.now() - 3_600_000;
  const at = (n: number): Date => new Date(sinceMs + n);
  const old = Array.from({ length: 250 }, (_, n) => newEvent(owner, [], at(n)));
  await service.store.events.insertMany(old);
  const ids = old.map(({ _id }) => _id);
  const recent = [];
  for (let n = 0; n < 120; n += 1) recent.push(await report(app));
  using reader = await openStream(app.of, { query: `?since=${at(0).toISOString()}` });
  for (let n = 0; n < 20; n += 1) recent.push(await report(app));
  await waitFor(() => reader.eventIds().length >= 390, { state: () => reader.eventIds().length });
  expect(reader.eventIds()).toEqual([...ids, ...recent]);
});

test.each([['x'], ['evt_1'], ['mie2x1k0.'], ['mie2x1k0.82G']])(
  'the Last-Event-ID %s is rejected',
  async (id) => {
    const app = await newApp();
    const headers = { 'x-api-key': app.apiKey, 'last-event-id': id };
    expectProblem(await app.call('GET', '/events/stream', { headers }), 400, 'invalid_cursor');
  },
);

test('a Last-Event-ID is rejected once later events may have been deleted', async () => {
  const app = await newApp();
  const { recordsMs } = service.config.retention;
  const atEdge = Date.now() - recordsMs + streamLimits.lateCommitMsMax;
  const within = (atEdge + 60_000).toString(36);
  using reader = await openStream(app.of, { lastEventId: within });
  expect(reader.status).toBe(200);
  const headers = { 'x-api-key': app.apiKey, 'last-event-id': (atEdge - 1_000).toString(36) };
  expectProblem(await app.call('GET', '/events/stream', { headers }), 400, 'invalid_cursor');
});

test('a key can have at most 10 streams, and a closed one makes room', async () => {
  const app = await newApp();
  const readers = [];
  for (let n = 0; n < streamLimits.streamsPerCallerMax; n += 1)
    readers.push(await openStream(app.of));
  const refused = await app.call('GET', '/events/stream');
  expectProblem(refused, 429, 'rate_limited');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  readers.pop()?.[Symbol.dispose]();
  const again = await waitFor(async () => {
    const reader = await openStream(app.of);
    return reader.status === 200 && reader;
  });
  for (const reader of [...readers, again]) reader[Symbol.dispose]();
});

test('a process has at most 200 streams, of which an application has 150', async () => {
  const app = await newApp();
  const { streams } = service.context;
  const open = (n: number, appUid: string) => {
    const filters = { event: null, entity: null, resourceUid: null, externalTenantId: null };
    const wanted = { appUid, ...filters, since: null, until: null };
    return streams.open({ uid: `key_${n}`, sessionId: null, appUid }, { wanted, position: null });
  };
  await waitFor(() => streams.count === 0, { what: 'the end of earlier streams' });
  const bodies = [];
  for (let n = 0; n < 150; n += 1) bodies.push(await open(n, app.appUid));
  expectProblem(await app.call('GET', '/events/stream'), 503, 'overloaded');
  for (let n = 150; n < streamLimits.streamsMax; n += 1) {
    bodies.push(await open(n, service.app.appUid));
  }
  await expect(open(200, service.app.appUid)).rejects.toMatchObject({ code: 'overloaded' });
  for (const body of bodies) body.destroy();
  await waitFor(() => streams.count === 0, { what: 'the end of all streams' });
  using reader = await openStream(app.of);
  await isOpened(reader);
  await has(reader, [await report(app)]);
});

test('HEAD opens no stream', async () => {
  const app = await newApp();
  await waitFor(() => service.context.streams.count === 0);
  const answer = await app.call('HEAD', '/events/stream');
  expect(answer.status).toBe(200);
  await waitFor(() => service.context.streams.count === 0);
});

test('the stream of a revoked key ends in seconds, and others continue', async () => {
  const { app } = service;
  const of = { apiUrl: service.apiUrl, app };
  const apiKey = await makeKey(service, {});
  using revoked = await openStream(of, { apiKey });
  using other = await openStream(of);
  const { keyId = '' } = parseApiKey(apiKey) ?? {};
  await service.store.apiKeys.updateOne({ keyId }, { $set: { revokedAt: new Date() } });
  const startedAtMs = performance.now();
  expect(await reasonOf(revoked)).toBe('key_ended');
  expect(performance.now() - startedAtMs).toBeLessThan(8_000);
  const eventId = await report({ ...app, ...service });
  await has(other, [eventId]);
});

test('the streams of a disabled application end in seconds', async () => {
  const app = await newApp();
  using reader = await openStream(app.of);
  const since = { $set: { disabledAt: new Date() } };
  await service.store.apps.updateOne({ _id: app.appUid }, since);
  const startedAtMs = performance.now();
  expect(await reasonOf(reader)).toBe('app_disabled');
  expect(performance.now() - startedAtMs).toBeLessThan(8_000);
});

test('a reader that is too slow is told so, misses nothing when it resumes, and slows nobody down', async () => {
  const app = await newApp();
  const slow = await openStream(app.of);
  using quick = await openStream(app.of);
  await isOpened(slow);
  slow.pause();
  const body = JSON.stringify({ data: 'x'.repeat(200_000) });
  const count = Math.ceil((1.5 * streamLimits.keptBytesMax) / body.length);
  const events = Array.from({ length: count }, () => {
    return { ...newEvent({ ...service, app }, [], new Date()), body };
  });
  for (let n = 0; n < count; n += 40)
    await service.store.events.insertMany(events.slice(n, n + 40));
  const ids = events.map(({ _id }) => _id);
  await waitFor(() => quick.eventIds().length === ids.length, { what: 'all at the quick one' });
  slow.resume();
  expect(await reasonOf(slow)).toBe('slow_reader');
  const got = slow.eventIds();
  expect(got.length).toBeLessThan(ids.length);
  using again = await openStream(app.of, { lastEventId: slow.lastEventId() });
  await has(again, ids.slice(got.length));
});
