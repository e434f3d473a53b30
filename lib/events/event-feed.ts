import { setTimeout as sleep } from 'node:timers/promises';
import type { Timestamp } from 'mongodb';
import type { Store } from '../mongo/connect.ts';
import { isDatabaseUnavailable } from '../mongo/database-unavailable.ts';
import type { Clock } from '../platform/clock.ts';
import { streamLog } from '../platform/logger.ts';
import { EventLog } from './event-log.ts';
import {
  committedAt,
  type CommitWatch,
  positionOf,
  startAfter,
  watchCommits,
  type WatchOptions,
} from './watch-commits.ts';

const reopenAfterMs = 1_000;
// Also the maximum wait of the first reader for its position.
const maxAwaitTimeMS = 250;
const batchSize = 40;

/** All events as they are committed, from one change stream for all readers of a process. */
export class EventFeed implements AsyncDisposable {
  readonly log = new EventLog();
  /** Resolves once every later commit will be seen; rejects if MongoDB cannot guarantee that. */
  readonly started: Promise<void>;
  readonly #ports: { store: Store; clock: Clock };
  readonly #listeners = new Set<() => void>();
  #watch: CommitWatch | null = null;
  #ended: Promise<void> = Promise.resolve();
  #state: 'running' | 'failed' | 'closed' = 'running';
  #position: { token: string; reachedAt: Date } | null = null;
  #operationTime: Timestamp | null = null;

  constructor(ports: { store: Store; clock: Clock }) {
    this.#ports = ports;
    this.started = this.#start();
  }

  get hasFailed(): boolean {
    return this.#state === 'failed';
  }

  /** The position up to which all commits are in the log; null before the first response. */
  get position(): { token: string; reachedAt: Date } | null {
    return this.#position;
  }

  /** A read after this time finds all events that were ever in the log. */
  get operationTime(): Timestamp | null {
    return this.#operationTime;
  }

  /** Calls `listener` after each change until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#state = 'closed';
    await this.#watch?.close();
    await this.#ended;
  }

  async #start(): Promise<void> {
    try {
      const response = await this.#ports.store.db.command({ ping: 1 });
      this.#operationTime = response['operationTime'] as Timestamp;
    } catch (error) {
      this.#state = 'failed';
      throw error;
    }
    this.#ended = this.#run({ startAtOperationTime: this.#operationTime });
  }

  /** Reads until closed; after an outage of MongoDB it continues from its position. */
  async #run(from: Omit<WatchOptions, 'maxAwaitTimeMS' | 'batchSize'>): Promise<void> {
    let start = from;
    while (this.#state === 'running') {
      try {
        await this.#read(watchCommits(this.#ports.store, { ...start, maxAwaitTimeMS, batchSize }));
      } catch (error) {
        if (this.#state !== 'running') return;
        if (!isDatabaseUnavailable(error)) {
          this.#fail(error);
          return;
        }
        streamLog.warn({ err: error }, 'feed.interrupted');
        if (this.#position !== null) start = startAfter(this.#position.token);
        await sleep(reopenAfterMs);
      }
    }
  }

  async #read(watch: CommitWatch): Promise<void> {
    this.#watch = watch;
    try {
      while (this.#state === 'running') {
        const change = await watch.tryNext();
        const token = positionOf(watch);
        const reachedAt = change === null ? this.#ports.clock.now() : committedAt(change);
        if (change !== null) {
          this.log.push({ event: change.fullDocument, token: change._id._data, reachedAt });
          this.#operationTime = change.clusterTime ?? this.#operationTime;
        }
        const isFirst = this.#position === null;
        if (token !== null) {
          this.#position = { token, reachedAt };
          this.log.begin(token);
        }
        if (change !== null || isFirst) this.#tell();
      }
    } finally {
      await watch.close();
    }
  }

  #fail(error: unknown): void {
    streamLog.error({ err: error }, 'feed.failed');
    this.#state = 'failed';
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
