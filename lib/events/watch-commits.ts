import type { ChangeStream, ChangeStreamInsertDocument, ChangeStreamOptions } from 'mongodb';
import type { EventDocument } from '../model/event.ts';
import { testEventName } from '../model/event-name.ts';
import type { Store } from '../mongo/connect.ts';
import { timeOfId } from '../platform/ids.ts';

type CommittedChange = ChangeStreamInsertDocument<EventDocument> & { _id: Token };

interface Token {
  _data: string;
}

/** Events in the order of their commits. All watches share the pipeline, because a token is valid only with its own. */
export type CommitWatch = ChangeStream<EventDocument, CommittedChange>;

/** The start of a watch, and how long it waits for a commit before it reports none. */
export interface WatchOptions extends Pick<
  ChangeStreamOptions,
  'startAfter' | 'startAtOperationTime'
> {
  maxAwaitTimeMS: number;
  /** How many commits with payloads are in memory. */
  batchSize: number;
}

/** Watches the commits of all events except tests of webhooks. */
export function watchCommits(store: Store, options: WatchOptions): CommitWatch {
  const $match = { operationType: 'insert', 'fullDocument.event': { $ne: testEventName } };
  return store.events.watch<EventDocument, CommittedChange>([{ $match }], options);
}

/** Returns the position up to which a watch has read, null before its first response. */
export function positionOf(watch: CommitWatch): string | null {
  const token = watch.resumeToken as Token | null | undefined;
  return token?._data ?? null;
}

/** Returns the commit time of a change. */
export function committedAt({ clusterTime, fullDocument }: CommittedChange): Date {
  // The upper half of a Timestamp is seconds.
  return clusterTime === undefined
    ? timeOfId(fullDocument._id)
    : new Date(clusterTime.getHighBitsUnsigned() * 1_000);
}

/** Returns the commit time of a token's change in whole seconds; null if it is not a MongoDB token. */
export function timeOfToken(token: string): Date | null {
  // Starts with a timestamp (type 0x82), whose upper half is seconds.
  const [, seconds] = /^82([0-9A-F]{8})/.exec(token) ?? [];
  return seconds === undefined ? null : new Date(parseInt(seconds, 16) * 1_000);
}

export function startAfter(token: string): Pick<WatchOptions, 'startAfter'> {
  return { startAfter: { _data: token } };
}
