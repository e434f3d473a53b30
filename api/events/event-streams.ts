import { Readable } from 'node:stream';
import { SharedLimit } from '../../lib/concurrency/shared-limit.ts';
import { FairPermits } from '../../lib/concurrency/fair-permits.ts';
import { EventFeed } from '../../lib/events/event-feed.ts';
import { streamLimits } from '../../lib/limits.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import { AppError } from '../../lib/platform/errors.ts';
import { streamLog } from '../../lib/platform/logger.ts';
import { overloaded } from '../../lib/platform/overloaded.ts';
import { EventReader, type ReaderWish } from './event-reader.ts';
import { closeReasons, type StreamCaller } from './stream-callers.ts';
import type { CloseReason } from './stream-messages.ts';

const { streamsMax, streamsPerCallerMax, buffersBytesMax, endReasonMs, callerCheckEveryMs } =
  streamLimits;
const retryAfterSeconds = 10;

interface OpenStream {
  caller: StreamCaller;
  openedAtMs: number;
  /** Null while the feed is starting. */
  reader: EventReader | null;
  body: Readable | null;
}

/** The streams of a process: limits their number, connects them to the feed, and ends them. */
export class EventStreams implements AsyncDisposable {
  readonly #ports: { store: Store; clock: Clock };
  readonly #streams = new Set<OpenStream>();
  readonly #room = new SharedLimit(streamsMax);
  /** Each stream waits for at most one. */
  readonly #missedReads = new FairPermits({
    permitsMax: streamLimits.concurrentMissedReadsMax,
    queueMax: Infinity,
    waitMsMax: Infinity,
    refusal: overloaded,
  });
  #feed: EventFeed | null = null;
  #check: NodeJS.Timeout | null = null;
  #isStopping = false;

  constructor(ports: { store: Store; clock: Clock }) {
    this.#ports = ports;
  }

  get count(): number {
    return this.#streams.size;
  }

  /** Opens a stream, which ends by itself or when it is destroyed. Throws `rate_limited`, `overloaded`. */
  async open(caller: StreamCaller, wish: ReaderWish): Promise<Readable> {
    this.#refuseTooMany(caller);
    const stream: OpenStream = {
      caller,
      openedAtMs: performance.now(),
      reader: null,
      body: null,
    };
    this.#streams.add(stream);
    this.#room.take(caller.appUid);
    try {
      const feed = this.#takeFeed();
      await feed.started;
      if (this.#isStopping) throw overloaded('the process is stopping');
      const ports = { ...this.#ports, feed, missedReads: this.#missedReads };
      stream.reader = new EventReader(ports, wish);
      stream.body = toReadable(stream.reader);
    } catch (error) {
      this.#remove(stream);
      throw error;
    }
    stream.body.once('close', () => this.#remove(stream));
    this.#check ??= setTimeout(() => void this.#checkCallers(), callerCheckEveryMs).unref();
    return stream.body;
  }

  /** Ends all streams. Cuts a stream whose reader does not read the reason in time. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    if (this.#check !== null) clearTimeout(this.#check);
    for (const stream of this.#streams) this.#close(stream, 'stopping');
    await this.#feed?.[Symbol.asyncDispose]();
  }

  #refuseTooMany({ appUid, uid }: StreamCaller): void {
    if (this.#isStopping) throw overloaded('the process is stopping');
    if (!this.#room.hasRoom(appUid)) {
      throw overloaded('too many streams are open in this process or for this application');
    }
    const own = [...this.#streams].filter(({ caller }) => caller.uid === uid);
    if (own.length < streamsPerCallerMax) return;
    const detail = `an API key or an admin can have at most ${streamsPerCallerMax} open streams; close one first`;
    throw new AppError('rate_limited', detail, { retryAfterSeconds });
  }

  #takeFeed(): EventFeed {
    if (this.#feed === null || this.#feed.hasFailed) this.#feed = new EventFeed(this.#ports);
    return this.#feed;
  }

  #remove(stream: OpenStream): void {
    const { caller, reader, openedAtMs } = stream;
    if (this.#streams.delete(stream)) this.#room.release(caller.appUid);
    if (reader !== null) {
      const durationMs = Math.round(performance.now() - openedAtMs);
      const { closing: reason, sentCount: sent } = reader;
      const { appUid, uid, sessionId } = caller;
      const who = sessionId === null ? { keyUid: uid } : { adminUid: uid };
      streamLog.info({ appUid, ...who, reason, sent, durationMs }, 'stream.closed');
    }
    if (this.#streams.size > 0 || this.#feed === null) return;
    // Without readers there is nothing to watch for.
    const feed = this.#feed;
    this.#feed = null;
    feed[Symbol.asyncDispose]().catch((error: unknown) => {
      streamLog.warn({ err: error }, 'feed.not_closed');
    });
  }

  #close({ reader, body }: OpenStream, reason: CloseReason): void {
    reader?.close(reason);
    setTimeout(() => body?.destroy(), endReasonMs).unref();
  }

  async #checkCallers(): Promise<void> {
    try {
      await this.#closeEnded();
    } catch (error) {
      // Without MongoDB there are no events to withhold from anyone.
      streamLog.warn({ err: error }, 'streams.not_checked');
    }
    const isNeeded = this.#streams.size > 0 && !this.#isStopping;
    this.#check = isNeeded
      ? setTimeout(() => void this.#checkCallers(), callerCheckEveryMs).unref()
      : null;
  }

  async #closeEnded(): Promise<void> {
    const streams = [...this.#streams];
    const reasons = await closeReasons(
      this.#ports,
      streams.map(({ caller }) => caller),
    );
    for (const stream of streams) {
      const reason = reasons.get(stream.caller);
      if (reason !== undefined) this.#close(stream, reason);
    }
  }
}

/** Returns a body that requests the next message only when there is room. */
function toReadable(reader: EventReader): Readable {
  const messages = reader.messages();
  return new Readable({
    highWaterMark: buffersBytesMax,
    read() {
      void messages.next().then(({ value, done }) => this.push(done === true ? null : value));
    },
    destroy(error, done) {
      reader.close('left');
      void messages.return();
      done(error);
    },
  });
}
