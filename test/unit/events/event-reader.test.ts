// What a reader of the stream of events gets.
import { EventReader, type ReaderPorts } from '../../../api/events/event-reader.ts';
import { streamIdOf } from '../../../api/events/stream-messages.ts';
import { EventLog } from '../../../lib/events/event-log.ts';
import { timeOfToken } from '../../../lib/events/watch-commits.ts';
import { streamLimits } from '../../../lib/limits.ts';
import { newEvent } from '../../support/fixtures.ts';

const app = { appUid: 'app_1', accountUid: 'acc_1', apiKey: '' };
const anything = { event: null, entity: null, resourceUid: null, externalTenantId: null };
const wanted = { appUid: app.appUid, ...anything, since: null, until: null };

/** A feed that a test fills. */
function fakeFeed() {
  const log = new EventLog();
  const position = { token: '82A0', reachedAt: new Date(0) };
  const listeners = new Set<() => void>();
  const feed = {
    log,
    position: position as typeof position | null,
    hasFailed: false,
    operationTime: null,
    listen(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    commit(token: string, appUid = app.appUid) {
      const event = newEvent({ app: { ...app, appUid } }, [], new Date());
      log.push({ event, token, reachedAt: new Date() });
      feed.position = { token, reachedAt: new Date() };
      feed.tell();
      return event;
    },
    tell() {
      for (const listener of listeners) listener();
    },
    listeners,
  };
  return feed;
}

function readerOf(feed: ReturnType<typeof fakeFeed>): EventReader {
  const ports = { feed, clock: { now: () => new Date() } };
  return new EventReader(ports as unknown as ReaderPorts, { wanted, position: null });
}

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

test('a comment with the present position is sent after 15 s of silence, and not before', async () => {
  const feed = fakeFeed();
  const reader = readerOf(feed);
  const messages = reader.messages();
  const opened = `retry: 1000\nevent: opened\nid: 0.82A0\ndata: {}\n\n`;
  expect((await messages.next()).value).toBe(opened);
  let beat: string | null = null;
  const next = messages.next().then(({ value }) => (beat = value ?? ''));
  await jest.advanceTimersByTimeAsync(streamLimits.heartbeatEveryMs - 1);
  expect(beat).toBeNull();
  feed.position = { token: '82A1', reachedAt: new Date(1_795_386_944_000) };
  await jest.advanceTimersByTimeAsync(1);
  await next;
  expect(beat).toBe(`: heartbeat\nid: ${streamIdOf(feed.position)}\n\n`);
  await messages.return();
  expect(feed.listeners.size).toBe(0);
});

test('each new event starts the silence anew, and is sent immediately', async () => {
  const feed = fakeFeed();
  const messages = readerOf(feed).messages();
  await messages.next();
  for (const token of ['82B1', '82B2', '82B3']) {
    const next = messages.next();
    await jest.advanceTimersByTimeAsync(streamLimits.heartbeatEveryMs - 1);
    const event = feed.commit(token);
    expect((await next).value).toContain(event._id);
  }
});

test('events of others end no silence: the comment comes after 15 s, with the position behind them', async () => {
  const feed = fakeFeed();
  const messages = readerOf(feed).messages();
  await messages.next();
  for (const token of ['82B1', '82B2']) {
    let beat: string | null = null;
    void messages.next().then(({ value }) => (beat = value ?? ''));
    for (let passedMs = 0; passedMs < streamLimits.heartbeatEveryMs; passedMs += 5_000) {
      feed.commit(token, 'app_2');
      await jest.advanceTimersByTimeAsync(5_000);
    }
    expect(beat).toMatch(new RegExp(`^: heartbeat\nid: \\w+\\.${token}\n\n$`));
  }
  await messages.return();
});

test('a reader behind the log is told that it is slow; one at its edge is not', async () => {
  const feed = fakeFeed();
  const messages = readerOf(feed).messages();
  await messages.next();
  for (let n = 0; n < streamLimits.keptEventsMax; n += 1) feed.commit(`82C${n}`);
  expect((await messages.next()).value).toContain('data: {"eventId"');
  feed.commit('82D0');
  expect((await messages.next()).value).toContain('data: {"eventId"');
  feed.commit('82D1');
  feed.commit('82D2');
  expect((await messages.next()).value).toContain('"reason":"slow_reader"');
  expect((await messages.next()).done).toBe(true);
});

test('what has waited long for a reader is read anew: its payload may have been erased', async () => {
  const feed = fakeFeed();
  const findOne = jest.fn(async () => ({ ...event, body: '', erasedAt: new Date() }));
  const ports = {
    feed,
    clock: { now: () => new Date() },
    store: {
      client: { withSession: (read: (session: object) => unknown) => read({}) },
      events: { findOne },
    },
    missedReads: { run: (_key: string, read: () => unknown) => read() },
  };
  const reader = new EventReader(ports as unknown as ReaderPorts, { wanted, position: null });
  const messages = reader.messages();
  await messages.next();
  const event = feed.commit('82B1');
  jest.advanceTimersByTime(10_001);
  expect((await messages.next()).value).toContain('"payload":null');
  const fresh = feed.commit('82B2');
  jest.advanceTimersByTime(10_000);
  expect((await messages.next()).value).toContain(`"payload":${fresh.body}`);
  expect(findOne).toHaveBeenCalledTimes(1);
});

test('the log tells what is behind a token, unless some of that is gone', () => {
  const log = new EventLog();
  const commit = (token: string): void =>
    log.push({ event: newEvent({ app }, [], new Date()), token, reachedAt: new Date() });
  expect(log.after('82A0')).toBeNull();
  log.begin('82A0');
  expect(log.after('829F')).toBeNull();
  expect(log.after('82A0')).toBe(0);
  for (const token of ['82A1', '82A3', '82A5']) commit(token);
  const behind = ['82A0', '82A1', '82A2', '82A3', '82A4', '82A5', '82A6'];
  expect(behind.map((token) => log.after(token))).toEqual([0, 1, 1, 2, 2, 3, 3]);
  for (let n = 0; n < streamLimits.keptEventsMax - 1; n += 1) commit(`82B${n}`);
  expect([log.after('82A2'), log.after('82A3')]).toEqual([null, 2]);
});

test('the first message has the position from which the reader gets all, also when events came before it', async () => {
  const feed = fakeFeed();
  const messages = readerOf(feed).messages();
  feed.commit('82A1');
  expect((await messages.next()).value).toContain('id: 0.82A0\n');
});

test('where events come with the first answer of the feed, the first message has the time of the opening', async () => {
  const feed = fakeFeed();
  feed.position = null;
  const messages = readerOf(feed).messages();
  const opened = messages.next();
  const id = streamIdOf({ reachedAt: new Date(), token: null });
  await jest.advanceTimersByTimeAsync(1_000);
  feed.commit('82A1', 'app_2');
  expect((await opened).value).toBe(`retry: 1000\nevent: opened\nid: ${id}\ndata: {}\n\n`);
});

test('a feed that fails ends the stream, also before its first answer', async () => {
  const feed = fakeFeed();
  feed.position = null;
  const messages = readerOf(feed).messages();
  const opened = messages.next();
  feed.hasFailed = true;
  feed.tell();
  expect((await opened).value).toBe('retry: 1000\nevent: opened\ndata: {}\n\n');
  expect((await messages.next()).value).toContain('"reason":"interrupted"');
});

test('how old a token is, is read from the token', () => {
  expect(timeOfToken('826B036E41000000012B022C')).toEqual(new Date(0x6b036e41 * 1_000));
  for (const token of ['', '826B036E4', '836B036E41000000012B022C', 'x826B036E41'])
    expect(timeOfToken(token)).toBeNull();
});
