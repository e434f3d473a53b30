import {
  ConnectionFailedError,
  HeraldClient,
  type HeraldError,
  InvalidCursorError,
  StreamEndedError,
  UnexpectedResponseError,
} from '../../../../packages/client-ts/src/index.ts';
import { MessageParser } from '../../../../packages/client-ts/src/server-sent.ts';
import { problem, type Reply, startScript, streamOf } from './script-server.ts';
import { fakeOnly } from '../../../support/fake-only.ts';

const opened = (id: string) => `retry: 1000\nevent: opened\nid: ${id}\ndata: {}\n\n`;
const event = (id: string) => `id: ${id}\ndata: {"eventId":"evt_${id}"}\n\n`;
const closed = (reason: string) =>
  `event: closed\ndata: ${JSON.stringify({ reason, detail: 'so it is' })}\n\n`;

async function scripted(...replies: readonly Reply[]) {
  const server = await startScript(...replies);
  const client = new HeraldClient({ url: server.url, appUid: 'app_1', apiKey: 'secret' });
  return { ...server, client };
}

test('a stream continues after the last message, despite interruptions, refusals and heartbeats', async () => {
  await using server = await scripted(
    streamOf(opened('p1'), event('p2')),
    { cut: 'before' },
    problem(503, 'overloaded'),
    streamOf(': heartbeat\nid: p3\n\n', closed('stopping')),
    streamOf(opened('p3'), 'event: newer\ndata: {}\n\n', event('p4')),
  );
  const opens: number[] = [];
  const cuts: string[] = [];
  const eventIds: string[] = [];
  const stream = server.client.events.stream(
    { entity: 'agent' },
    {
      onOpen: () => opens.push(eventIds.length),
      onCut: ({ code }: HeraldError) => cuts.push(code),
    },
  );
  for await (const { id, event } of stream) {
    eventIds.push(event.eventId);
    if (id === 'p4') break;
  }
  expect(eventIds).toEqual(['evt_p2', 'evt_p4']);
  expect(server.received.map(({ headers }) => headers['last-event-id'])).toEqual([
    undefined,
    'p2',
    'p2',
    'p2',
    'p3',
  ]);
  expect(server.received[0]?.url).toBe('/api/v1/appuid/app_1/events/stream?entity=agent');
  expect(opens).toEqual([0, 1]);
  expect(cuts).toEqual([
    'connection_failed',
    'connection_failed',
    'overloaded',
    'connection_failed',
  ]);
});

test('a streamed event has the text of its payload, as receivers get it', async () => {
  const text = '{"b":1.10,"a":-0,"3":1e3,"2":"\\u00e9 \\"payload\\":x","n":12345678901234567890}';
  const facts = '{"eventId":"evt_1","externalTenantId":",\\"payload\\":","payload":';
  const broken = text.replaceAll(',', ',\r\n');
  await using server = await scripted(
    streamOf(
      opened('p1'),
      `id: p2\ndata: ${facts}${text}}\n\n`,
      `id: p3\ndata: ${facts}null}\n\n`,
      `id: p4\npayload: ${JSON.stringify(broken)}\ndata: ${facts}${text}}\n\n`,
      `id: p5\ndata: ${facts}${text}}\n\n`,
    ),
  );
  const texts: (string | null)[] = [];
  for await (const { payloadText, event: sent } of server.client.events.stream()) {
    expect(sent.payload).toEqual(payloadText === null ? null : JSON.parse(payloadText));
    if (texts.push(payloadText) === 4) break;
  }
  expect(texts).toEqual([text, null, broken, text]);
});

test.each([
  ['is cut off', 'in-body'],
  ['never ends', 'hanging'],
] as const)('a stream continues after a refusal whose body %s', async (_, cut) => {
  await using server = await scripted(
    streamOf(opened('p1'), event('p2')),
    { ...problem(503, 'overloaded'), cut },
    streamOf(opened('p2'), event('p3')),
  );
  const cuts: string[] = [];
  const onCut = ({ code }: HeraldError) => cuts.push(code);
  const ids: string[] = [];
  for await (const { id } of server.client.events.stream({}, { onCut, timeoutMs: 1_000 }))
    if (ids.push(id) === 2) break;
  expect(ids).toEqual(['p2', 'p3']);
  expect(cuts).toEqual(['connection_failed', 'connection_failed']);
});

test.each([
  ['59', 59_000],
  ['61', 60_000],
  ['2592000', 60_000],
])('after Retry-After: %s a stream waits %d ms', async (seconds, expectedMs) => {
  await using server = await scripted(problem(503, 'overloaded', { 'retry-after': seconds }));
  const abort = new AbortController();
  const waitsMs: number[] = [];
  const onCut = (_: HeraldError, waitMs: number) => {
    waitsMs.push(waitMs);
    setImmediate(() => abort.abort());
  };
  const stream = server.client.events.stream({}, { signal: abort.signal, onCut });
  await expect(first(stream)).rejects.toThrow('aborted');
  expect(waitsMs).toEqual([expectedMs]);
});

const first = async (stream: AsyncIterable<unknown>) => {
  for await (const one of stream) return one;
  return null;
};

test.each<[string, Reply[], new (...args: never[]) => Error]>([
  ...['key_ended', 'app_disabled', 'session_ended', 'role_ended'].map(
    (reason): [string, Reply[], typeof StreamEndedError] => [
      `it ends with ${reason}`,
      [streamOf(opened('p1'), closed(reason))],
      StreamEndedError,
    ],
  ),
  ['its last id is refused', [problem(400, 'invalid_cursor')], InvalidCursorError],
  ['it never opens', [{ cut: 'before' } as const], ConnectionFailedError],
  ['it is none', [{ body: {} }], UnexpectedResponseError],
])('a stream throws when %s', async (_, replies, type) => {
  await using server = await scripted(...replies);
  await expect(first(server.client.events.stream())).rejects.toBeInstanceOf(type);
});

test("a stream that never opens is retried as often as its client's or its own options allow", async () => {
  await using server = await startScript({ cut: 'before' });
  const options = { url: server.url, appUid: 'app_1', apiKey: 'secret', retries: 0 };
  const client = new HeraldClient(options);
  await expect(first(client.events.stream())).rejects.toBeInstanceOf(ConnectionFailedError);
  expect(server.received).toHaveLength(1);
  await expect(first(client.events.stream({}, { retries: 1 }))).rejects.toThrow(
    'connection_failed',
  );
  expect(server.received).toHaveLength(3);
});

test("a stream takes no longer to open than its client's timeoutMs", async () => {
  const client = new HeraldClient({
    url: 'http://herald.example',
    appUid: 'app_1',
    apiKey: 'secret',
    timeoutMs: 30,
    retries: 0,
    fetch: (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
      }),
  });
  await expect(first(client.events.stream())).rejects.toThrow('silent for 30 ms');
});

test("a stream can start after an event, and ends with its signal's reason", async () => {
  await using server = await scripted(streamOf(opened('p1')));
  const abort = new AbortController();
  const reason = new Error('enough');
  const options = {
    lastEventId: 'p0',
    signal: abort.signal,
    onCut: () => setImmediate(() => abort.abort(reason)),
  };
  await expect(first(server.client.events.stream({}, options))).rejects.toBe(reason);
  expect(server.received[0]?.headers['last-event-id']).toBe('p0');
});

test('messages are the same however their text is split', () => {
  const text = `: comment\n\n${opened('p1')}id: p2\r\ndata: a\r\ndata: b: c\r\n\r\nid:p3\n\n`;
  const whole = new MessageParser().push(text);
  expect(whole).toEqual([
    { type: 'opened', id: 'p1', data: '{}' },
    { type: 'message', id: 'p2', data: 'a\nb: c' },
    { type: 'message', id: 'p3', data: null },
  ]);
  const parser = new MessageParser();
  expect(text.split('').flatMap((letter) => parser.push(letter))).toEqual(whole);
});

test('only a line feed ends a line: U+2028 and U+2029 are part of its text', () => {
  const data = JSON.stringify({ name: 'a\u2028b\u2029c' });
  const [message] = new MessageParser().push(`id: 1\ndata: ${data}\n\n`);
  expect(message).toEqual({ type: 'message', id: '1', data });
});

test('the time that a handler takes does not count as silence of the service', async () => {
  fakeOnly('setTimeout', 'clearTimeout');
  try {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const write = (text: string) => void writer.write(new TextEncoder().encode(text));
    const signals: (AbortSignal | null | undefined)[] = [];
    const client = new HeraldClient({
      url: 'http://herald.example',
      appUid: 'app_1',
      apiKey: 'secret',
      fetch: async (_url, init) => {
        signals.push(init?.signal);
        return new Response(readable, { headers: { 'content-type': 'text/event-stream' } });
      },
    });
    const abort = new AbortController();
    const stream = client.events.stream({}, { signal: abort.signal });
    const events = stream[Symbol.asyncIterator]();
    write(opened('p1') + event('p2'));
    expect((await events.next()).value).toMatchObject({ id: 'p2' });
    await jest.advanceTimersByTimeAsync(41_000);
    expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
    const next = events.next();
    write(event('p3'));
    expect((await next).value).toMatchObject({ id: 'p3' });
    // Silence while somebody is waiting for a message does count.
    const silent = events.next();
    await jest.advanceTimersByTimeAsync(41_000);
    expect(signals[0]?.aborted).toBe(true);
    abort.abort();
    void writer.abort();
    await expect(silent).rejects.toThrow('aborted');
  } finally {
    jest.useRealTimers();
  }
});
