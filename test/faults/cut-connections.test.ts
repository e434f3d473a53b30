// Cut connections to MongoDB: an unwritten change is never reported as written, no call hangs, and the live stream continues.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createApiKeyReader } from '../../api/access/api-key-reader.ts';
import type { DeliveryStep } from '../../lib/model/delivery.ts';
import { connectStore } from '../../lib/mongo/connect.ts';
import { insertDeliveries } from '../../lib/deliveries/delivery-records.ts';
import { newId } from '../../lib/platform/ids.ts';
import { openStream, type StreamReader } from '../support/event-stream.ts';
import { insertEvent, insertWebhook } from '../support/fixtures.ts';
import { createInstallation } from '../support/installation.ts';
import { isCommand, startMongodbProxy } from '../support/server-proxy.ts';
import { startReceiver } from '../support/receivers.ts';
import { testServers } from '../support/servers.ts';
import { startService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectProblem, makeKey } from '../integration/api/problems.ts';

// The driver retries a write once on another connection, so it fails after two cuts.
const driverTries = 2;

let proxy: Awaited<ReturnType<typeof startMongodbProxy>>;

beforeAll(async () => {
  proxy = await startMongodbProxy();
});

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
});

const throughProxy = (): { MONGODB_URI: string } => ({ MONGODB_URI: proxy.uri });

test('an insert of deliveries whose connections are cut rejects with the network error', async () => {
  await using installation = await createInstallation(throughProxy());
  const { store, app } = installation;
  const now = new Date();
  const step: DeliveryStep = {
    event: 'agent.updated',
    externalTenantId: 'tenant-1',
    state: 'held',
    cancelReason: null,
    isFirst: true,
    attemptsBefore: 0,
    jobUid: null,
    attempt: null,
    nextAttemptAt: null,
    isRateLimited: false,
    partition: null,
    now,
  };
  const keyOf = () => ({
    appUid: app.appUid,
    eventId: newId('evt', now),
    webhookUid: newId('whk', now),
  });
  const steps = [
    [keyOf(), step],
    [keyOf(), step],
  ] as const;
  proxy.cutAt(isCommand('insert', 'deliveries'), driverTries);
  await expect(insertDeliveries(store, steps)).rejects.toThrow(
    expect.objectContaining({ name: 'MongoNetworkError' }),
  );
  expect(await store.deliveries.countDocuments()).toBe(0);
  // The insert reports which deliveries already existed.
  expect(await insertDeliveries(store, steps.slice(0, 1))).toEqual([true]);
  expect(await insertDeliveries(store, steps)).toEqual([false, true]);
});

test('an attempt whose record fails for a cut connection is made again and recorded', async () => {
  await using service = await startService({ env: throughProxy() });
  await using receiver = await startReceiver((response) => response.writeHead(200).end());
  const { _id: webhookUid } = await insertWebhook(service, { url: receiver.url });
  proxy.cutAt(isCommand('insert', 'deliveries'), driverTries);
  const before = proxy.cuts;
  const event = await insertEvent(service, [webhookUid]);
  const delivered = { eventId: event._id, state: 'delivered' } as const;
  await waitFor(() => service.store.deliveries.findOne(delivered).then((found) => found !== null), {
    what: 'the record of the delivery',
  });
  expect(proxy.cuts - before).toBe(driverTries);
  const ids = receiver.requests.map((request) => request.headers['x-webhook-event-id']);
  expect(ids).toEqual([event._id, event._id]);
});

test('a change whose event cannot be written because of lost connections gets 503 unavailable, never 500', async () => {
  await using service = await startService({ env: throughProxy(), worker: false });
  const context = await service.call('POST', '/contexts', {
    body: { contextName: 'Docs', externalTenantId: 'tenant-1' },
  });
  const data = { uid: 'agt_1', externalTenantId: 'tenant-1' };
  const file = { fileName: 'a.txt', contentType: 'text/plain', sizeBytes: 1 };
  const calls = [
    ['/changes', { event: 'agent.updated', data }],
    [`/contexts/${String(context.body['uid'])}/files`, file],
  ] as const;
  for (const [path, body] of calls) {
    // Cut at the insert of the event, and unreachable from then on: the driver finds no server.
    proxy.cutAt((message) => {
      const isInsert = isCommand('insert', 'events')(message);
      if (isInsert) proxy.refuse(true);
      return isInsert;
    });
    const answer = await service.call('POST', path, { body });
    proxy.refuse(false);
    expect([path, answer.status, answer.body['code']]).toEqual([path, 503, 'unavailable']);
    await waitFor(async () => (await service.call('GET', '/events')).status === 200);
  }
});

/** Destroys the next socket to `port` just before a matching message is written to it. */
function destroyBeforeWrite(
  port: number,
  matches: (message: Buffer) => boolean,
): { destroyed: () => number } & Disposable {
  let destroyed = 0;
  const watch = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    const write = socket.write.bind(socket);
    const guarded = (...args: Parameters<typeof write>): boolean => {
      const [bytes] = args;
      if (destroyed === 0 && socket.remotePort === port && matches(Buffer.from(bytes))) {
        destroyed += 1;
        socket.destroy();
      }
      return write(...args);
    };
    // Node resets `write` when a socket begins to connect.
    socket.once('connect', () => Object.assign(socket, { write: guarded }));
  };
  subscribe('net.client.socket', watch);
  return {
    destroyed: () => destroyed,
    [Symbol.dispose]: () => void unsubscribe('net.client.socket', watch),
  };
}

test('a read whose socket is cut between check and write ends within 5 s, and so does the next', async () => {
  await using installation = await createInstallation(throughProxy());
  const { app, config } = installation;
  using trap = destroyBeforeWrite(proxy.port, isCommand('aggregate', 'apiKeys'));
  await using store = await connectStore(config.mongodb);
  const findApiKey = createApiKeyReader(store);
  const keyId = String(app.apiKey.split('_')[1]);
  const startedAt = performance.now();
  const [found, next] = [await findApiKey(keyId), await findApiKey(keyId)];
  expect(trap.destroyed()).toBe(1);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(found).toEqual(next);
});

test('a write whose socket is cut between check and write ends within 5 s, written once', async () => {
  await using installation = await createInstallation(throughProxy());
  using trap = destroyBeforeWrite(proxy.port, isCommand('update', 'webhooks'));
  await using store = await connectStore(installation.config.mongodb);
  const { _id } = await insertWebhook(installation, { url: 'https://receiver.example/hook' });
  const startedAt = performance.now();
  const { modifiedCount } = await store.webhooks.updateOne({ _id }, { $inc: { probe: 1 } });
  expect(trap.destroyed()).toBe(1);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(modifiedCount).toBe(1);
  expect(await store.webhooks.findOne({ _id })).toMatchObject({ probe: 1 });
});

test('a process whose reads of keys hang is not ready, and is ready again when they end', async () => {
  await using service = await startService({ env: throughProxy(), worker: false });
  expect((await service.raw('GET', '/readyz')).status).toBe(200);
  const { context } = service;
  const answers: (() => void)[] = [];
  const aggregate = context.store.apiKeys.aggregate.bind(context.store.apiKeys);
  const hanging = {
    toArray: () => new Promise<never[]>((resolve) => answers.push(() => resolve([]))),
  };
  context.store.apiKeys.aggregate = (() => hanging) as never;
  const away = await service.raw('GET', '/readyz');
  expect(away.status).toBe(503);
  expect(away.body['parts']).toMatchObject({ mongodb: 'MongoDB does not respond within 2000 ms' });
  const refused = await service.call('GET', '/events');
  expect([refused.status, refused.body['code']]).toEqual([503, 'unavailable']);
  context.store.apiKeys.aggregate = aggregate;
  await waitFor(async () => (await service.raw('GET', '/readyz')).status === 200);
  expect((await service.call('GET', '/events')).status).toBe(200);
});

test('while MongoDB is silent calls get 503 unavailable within 7 s, and succeed when it responds again', async () => {
  await using service = await startService({ env: throughProxy(), worker: false });
  const data = { uid: 'agt_1', externalTenantId: 'tenant-1' };
  const calls = [
    () => service.call('GET', '/events'),
    () => service.call('POST', '/changes', { body: { event: 'agent.updated', data } }),
    () => service.call('GET', '/webhooks'),
  ];
  for (const call of calls) expect((await call()).status).toBeLessThan(300);
  proxy.freeze(true);
  const startedAt = performance.now();
  const answers = await Promise.all(calls.map((call) => call()));
  expect(performance.now() - startedAt).toBeLessThan(7_000);
  proxy.freeze(false);
  for (const { status, body, headers } of answers) {
    expect([status, body['code'], headers.get('retry-after')]).toEqual([503, 'unavailable', '2']);
  }
  await waitFor(async () => (await service.call('GET', '/events')).status === 200);
});

async function has(reader: StreamReader, eventIds: readonly string[]): Promise<void> {
  const state = () => [reader.eventIds().length, reader.messages.at(-1)];
  await waitFor(() => reader.eventIds().length >= eventIds.length, { state });
  expect(reader.eventIds()).toEqual(eventIds);
}

async function isOpened(reader: StreamReader): Promise<void> {
  await waitFor(() => reader.messages.length > 0, { what: 'the opening' });
}

test('a stream survives a lost connection and an outage of MongoDB, and gets each event once', async () => {
  await using service = await startService({ env: throughProxy(), worker: false });
  const { database } = service.config.mongodb;
  // Connected without the proxy.
  await using store = await connectStore({ uri: testServers().mongodbUri, database });
  const commitEvent = async () => (await insertEvent({ ...service, store }, []))._id;
  using reader = await openStream(service);
  await isOpened(reader);
  const ids = [await commitEvent()];
  await has(reader, ids);
  proxy.cutAt((message) => message.includes('getMore\0') && message.includes('events\0'));
  ids.push(await commitEvent());
  await has(reader, ids);
  proxy.refuse(true);
  for (let n = 0; n < 3; n += 1) ids.push(await commitEvent());
  proxy.refuse(false);
  ids.push(await commitEvent());
  await has(reader, ids);
});

test('a stream that opens after its call has ended is closed', async () => {
  await using service = await startService({ worker: false });
  const { streams } = service.context;
  const open = streams.open.bind(streams);
  let goOn: () => void = () => undefined;
  const isAnswered = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const opening = jest.spyOn(streams, 'open').mockImplementation(async (...asked) => {
    await isAnswered;
    return open(...asked);
  });
  const answer = await service.call('GET', '/events/stream');
  expectProblem(answer, 503, 'unavailable');
  goOn();
  expect(await opening.mock.results[0]?.value).toBeInstanceOf(Readable);
  opening.mockRestore();
  await waitFor(() => streams.count === 0, { what: 'the end of the stream' });
});

test('100 readers that resume concurrently get what they missed once, without delaying other calls', async () => {
  await using service = await startService({ worker: false });
  const first = await openStream(service);
  await isOpened(first);
  first[Symbol.dispose]();
  const ids: string[] = [];
  for (let n = 0; n < 20; n += 1) ids.push((await insertEvent(service, []))._id);
  const lastEventId = first.lastEventId();
  const keys = await Promise.all(Array.from({ length: 10 }, () => makeKey(service)));
  const resuming = keys.flatMap((apiKey) =>
    Array.from({ length: 10 }, () => openStream(service, { apiKey, lastEventId })),
  );
  const other = await service.call('GET', '/agents');
  expect(other.status).toBe(200);
  const readers = await Promise.all(resuming);
  for (const reader of readers) await has(reader, ids);
  for (const reader of readers) reader[Symbol.dispose]();
});
