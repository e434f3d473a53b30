// The live stream while MongoDB is unavailable, and when all readers return together.
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { connectStore, type Store } from '../../lib/mongo/connect.ts';
import { openStream, type StreamReader } from '../support/event-stream.ts';
import { insertEvent } from '../support/fixtures.ts';
import { startMongodbProxy } from '../support/server-proxy.ts';
import { testServers } from '../support/servers.ts';
import { startService, type TestService } from '../support/service.ts';
import { waitFor } from '../support/wait-for.ts';
import { expectProblem, makeKey } from '../integration/api/problems.ts';

let proxy: Awaited<ReturnType<typeof startMongodbProxy>>;
let service: TestService;
/** Connected without the proxy. */
let store: Store;

beforeAll(async () => {
  proxy = await startMongodbProxy();
  service = await startService({ env: { MONGODB_URI: proxy.uri }, worker: false });
  const { database } = service.config.mongodb;
  store = await connectStore({ uri: testServers().mongodbUri, database });
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
  await proxy?.[Symbol.asyncDispose]();
});

async function commitEvent(): Promise<string> {
  return (await insertEvent({ ...service, store }, []))._id;
}

async function has(reader: StreamReader, eventIds: readonly string[]): Promise<void> {
  const state = () => [reader.eventIds().length, reader.messages.at(-1)];
  await waitFor(() => reader.eventIds().length >= eventIds.length, { state });
  expect(reader.eventIds()).toEqual(eventIds);
}

async function isOpened(reader: StreamReader): Promise<void> {
  await waitFor(() => reader.messages.length > 0, { what: 'the opening' });
}

test('a stream survives a lost connection and an outage of MongoDB, and gets each event once', async () => {
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
  const { streams } = service.context;
  await waitFor(() => streams.count === 0, { what: 'the end of earlier streams' });
  const open = streams.open.bind(streams);
  let goOn: () => void = () => undefined;
  const isAnswered = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const opening = vi.spyOn(streams, 'open').mockImplementation(async (...asked) => {
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
  const first = await openStream(service);
  await isOpened(first);
  first[Symbol.dispose]();
  const ids: string[] = [];
  for (let n = 0; n < 20; n += 1) ids.push(await commitEvent());
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
