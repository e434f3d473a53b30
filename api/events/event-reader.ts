// Reads the events for one stream: first those it missed, then each event as it is committed.
import type { ClientSession, Timestamp } from 'mongodb';
import type { FairPermits } from '../../lib/concurrency/fair-permits.ts';
import type { Party } from '../../lib/concurrency/group-limit.ts';
import type { EventFeed } from '../../lib/events/event-feed.ts';
import {
  committedBefore,
  isWanted,
  readEventsForward,
  type WantedEvents,
} from '../../lib/events/event-lists.ts';
import {
  positionOf,
  startAfter,
  timeOfToken,
  watchCommits,
} from '../../lib/events/watch-commits.ts';
import { streamLimits } from '../../lib/limits.ts';
import type { EventDocument } from '../../lib/model/event.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import { idAt, timeOfId } from '../../lib/platform/ids.ts';
import { streamLog } from '../../lib/platform/logger.ts';
import {
  type CloseReason,
  renderClosed,
  renderEvent,
  renderHeartbeat,
  renderOpened,
  type StreamPosition,
} from './stream-messages.ts';

const { heartbeatEveryMs, lateCommitMsMax, resumedExactlyMsMax, resumingMsMax } = streamLimits;
// For readers that let the server choose the wait, as browsers do.
const retryMs = 1_000;
// Short, because other readers wait to catch up.
const missedAwaitMs = 20;
// Few, because each of 200 readers can hold them in memory while its connection is slow.
const missedBatchSize = 4;
// An older event of the log is read again before it is sent, because its payload may have been erased.
const freshMsMax = 10_000;

export interface ReaderPorts {
  store: Store;
  clock: Clock;
  feed: EventFeed;
  missedReads: Pick<FairPermits, 'run'>;
}

export interface ReaderWish {
  wanted: WantedEvents;
  /** The position at which the reader was interrupted. Null for a new reader. */
  position: StreamPosition | null;
}

type Messages = AsyncGenerator<string, void>;

export class EventReader {
  readonly #ports: ReaderPorts;
  readonly #wish: ReaderWish;
  readonly #party: Party;
  /** The number of the next event in the log. */
  #next: number;
  /** The position before the first event, if it is known. */
  readonly #start: StreamPosition | null;
  /** Events of the log before this number may have been erased. */
  #storedBefore = 0;
  /** Events up to this token have been sent. */
  #sentTo = '';
  /** The sent events that may still be in the log. */
  readonly #sent = new Set<string>();
  #sentUntilMs = Infinity;
  #closing: CloseReason | 'left' | null = null;
  #wake = (): void => undefined;
  #silentSinceMs = performance.now();
  sentCount = 0;

  constructor(ports: ReaderPorts, wish: ReaderWish) {
    this.#ports = ports;
    this.#wish = wish;
    this.#party = { group: wish.wanted.appUid, member: null };
    this.#next = ports.feed.log.end;
    this.#start = ports.feed.position;
  }

  /** The reason why the stream has ended or is about to. Null while it is read. */
  get closing(): CloseReason | 'left' | null {
    return this.#closing;
  }

  /** Ends the messages, with the reason unless the reader left. */
  close(reason: CloseReason | 'left'): void {
    this.#closing ??= reason;
    this.#wake();
  }

  async *messages(): Messages {
    const unlisten = this.#ports.feed.listen(() => this.#wake());
    try {
      yield* this.#begin();
      yield* this.#follow();
    } catch (error) {
      streamLog.warn({ err: error }, 'reader.interrupted');
      this.close('interrupted');
    } finally {
      unlisten();
    }
    if (this.#closing !== null && this.#closing !== 'left') yield renderClosed(this.#closing);
  }

  async *#begin(): Messages {
    const { position, wanted } = this.#wish;
    const from = position === null ? wanted.since : committedBefore(position.reachedAt);
    if (from === null) {
      // With an ID from the start, a reader that is interrupted before its first event misses nothing.
      const { feed, clock } = this.#ports;
      const opened = { reachedAt: clock.now(), token: null };
      while (feed.position === null && !feed.hasFailed && !this.#isOver()) {
        this.#silentSinceMs = performance.now();
        await this.#waitForNews();
      }
      const isStill = this.#next === feed.log.end;
      yield renderOpened(retryMs, this.#start ?? (isStill ? feed.position : opened));
      return;
    }
    yield renderOpened(retryMs, null);
    if (position?.token != null && (yield* this.#resume(position.token))) return;
    yield* this.#readStored(idAt('evt', from));
  }

  /** Sends the events committed since a position, in order. Returns false if the log and MongoDB both lack some. */
  async *#resume(token: string): AsyncGenerator<string, boolean> {
    const committed = timeOfToken(token);
    if (committed === null) return false;
    const agoMs = this.#ports.clock.now().getTime() - committed.getTime();
    // A position in the future is not ours.
    if (Math.abs(agoMs) > resumedExactlyMsMax) return false;
    if (this.#joinLog(token)) return true;
    const { store, missedReads } = this.#ports;
    const batch = { maxAwaitTimeMS: missedAwaitMs, batchSize: missedBatchSize };
    const watch = watchCommits(store, { ...startAfter(token), ...batch });
    let endsAtMs = performance.now() + resumingMsMax;
    try {
      while (!this.#isOver() && performance.now() < endsAtMs) {
        const change = await missedReads.run(this.#party, () => watch.tryNext());
        const reached = positionOf(watch) ?? token;
        const position = { token: reached, reachedAt: timeOfToken(reached) ?? committed };
        if (change !== null) {
          endsAtMs = performance.now() + resumingMsMax;
          const event = await this.#asStored(change.fullDocument, change.clusterTime);
          if (event !== null) yield* this.#send(event, position);
        }
        if (this.#joinLog(reached)) return true;
        // With its position, so that a reader that is interrupted now need not start over.
        if (this.#silentMs() >= heartbeatEveryMs) yield* this.#beat(position);
      }
    } catch (error) {
      // For example, the token is no longer in the oplog.
      streamLog.info({ err: error }, 'reader.resumed_from_store');
    } finally {
      await watch.close();
    }
    return false;
  }

  /** Continues in the log after a token. Returns false if the log does not reach back to it. */
  #joinLog(token: string): boolean {
    const { log, position } = this.#ports.feed;
    const next = position !== null && token >= position.token ? log.end : log.after(token);
    if (next === null) return false;
    this.#next = next;
    this.#sentTo = token;
    this.#storedBefore = log.end;
    return true;
  }

  /** Reads the event again: it may have been erased or deleted since its commit. */
  async #asStored(
    event: EventDocument,
    committed: Timestamp | null = null,
  ): Promise<EventDocument | null> {
    if (!isWanted(event, this.#wish.wanted)) return null;
    const { store, missedReads } = this.#ports;
    const find = (session: ClientSession): Promise<EventDocument | null> => {
      // Causally after the commit, so that a change of the primary hides nothing.
      if (committed !== null) session.advanceOperationTime(committed);
      return store.events.findOne({ _id: event._id }, { session });
    };
    return missedReads.run(this.#party, () => store.client.withSession(find));
  }

  /** Sends the stored events after a uid. */
  async *#readStored(from: string): Messages {
    // Everything older than a late commit is complete, so reading by uid misses nothing.
    const horizon = idAt('evt', committedBefore(this.#ports.clock.now()));
    const behind = from < horizon ? horizon : from;
    for await (const event of this.#pages(from, horizon)) yield* this.#sendStored(event);
    // The rest is read while the log keeps newly committed events.
    this.#next = this.#ports.feed.log.end;
    this.#sentUntilMs = performance.now() + lateCommitMsMax;
    for await (const event of this.#pages(behind, null)) {
      this.#sent.add(event._id);
      yield* this.#sendStored(event);
    }
  }

  async *#pages(from: string, before: string | null): AsyncGenerator<EventDocument, void> {
    const { store, feed, missedReads } = this.#ports;
    const session = store.client.startSession();
    try {
      if (feed.operationTime !== null) session.advanceOperationTime(feed.operationTime);
      let after = from;
      while (!this.#isOver()) {
        const range = { after, before, session };
        const { items, isCut } = await missedReads.run(this.#party, () =>
          readEventsForward(store, this.#wish.wanted, range),
        );
        yield* items;
        after = items.at(-1)?._id ?? after;
        if (!isCut) return;
      }
    } finally {
      await session.endSession();
    }
  }

  async *#follow(): Messages {
    const { log } = this.#ports.feed;
    while (!this.#isOver()) {
      if (this.#next < log.first) {
        this.close('slow_reader');
        return;
      }
      if (performance.now() > this.#sentUntilMs) this.#sent.clear();
      const entry = log.at(this.#next);
      if (entry !== undefined) {
        const ageMs = this.#ports.clock.now().getTime() - entry.reachedAt.getTime();
        const isMissed = this.#next < this.#storedBefore || ageMs > freshMsMax;
        this.#next += 1;
        if (entry.token <= this.#sentTo || this.#sent.delete(entry.event._id)) continue;
        const { operationTime } = this.#ports.feed;
        const event = isMissed ? await this.#asStored(entry.event, operationTime) : entry.event;
        if (event !== null) yield* this.#send(event, entry);
      } else if (this.#ports.feed.hasFailed) {
        this.close('interrupted');
      } else if (await this.#waitForNews()) {
        yield* this.#beat(this.#next === log.end ? this.#ports.feed.position : null);
      }
    }
  }

  *#send(event: EventDocument, position: StreamPosition): Generator<string, void> {
    if (!isWanted(event, this.#wish.wanted)) return;
    this.sentCount += 1;
    this.#silentSinceMs = performance.now();
    yield renderEvent(event, position);
  }

  *#sendStored(event: EventDocument): Generator<string, void> {
    yield* this.#send(event, { reachedAt: timeOfId(event._id), token: null });
  }

  *#beat(position: StreamPosition | null): Generator<string, void> {
    this.#silentSinceMs = performance.now();
    yield renderHeartbeat(position);
  }

  #silentMs(): number {
    return performance.now() - this.#silentSinceMs;
  }

  #isOver(): boolean {
    return this.#closing !== null;
  }

  /** Waits for a new event. Returns true when a heartbeat is due, however often events for others wake it. */
  #waitForNews(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(true), heartbeatEveryMs - this.#silentMs());
      this.#wake = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });
  }
}
