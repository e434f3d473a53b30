import type { ChangeStream, ChangeStreamInsertDocument, ChangeStreamOptions } from 'mongodb';
import type { EventDocument } from '../model/event.ts';
import { testEventName } from '../model/event-name.ts';
import type { Store } from '../mongo/connect.ts';
import { timeOfId } from '../platform/ids.ts';

type CommittedChange = ChangeStreamInsertDocument<EventDocument> & { _id: Token };

interface Token {
  _data: string;
}

/** Events in the order of their commits. All watches share the pipeline: a token is only valid with the one it is of. */
export type CommitWatch = ChangeStream<EventDocument, CommittedChange>;

/** Where a watch begins, and how long it waits for a commit before it says that there is none. */
export interface WatchOptions extends Pick<
  ChangeStreamOptions,
  'startAfter' | 'startAtOperationTime'
> {
  maxAwaitTimeMS: number;
  /** How many commits are in memory, with their payloads. */
  batchSize: number;
}

/** Watches the commits of all events but tests of webhooks. */
export function watchCommits(store: Store, options: WatchOptions): CommitWatch {
  const $match = { operationType: 'insert', 'fullDocument.event': { $ne: testEventName } };
  return store.events.watch<EventDocument, CommittedChange>([{ $match }], options);
}

/** Returns the position up to which a watch has read, null before its first answer. */
export function positionOf(watch: CommitWatch): string | null {
  const token = watch.resumeToken as Token | null | undefined;
  return token?._data ?? null;
}

/** Returns when a change was committed, whenever it is read. */
export function committedAt({ clusterTime, fullDocument }: CommittedChange): Date {
  // The upper half of a Timestamp is seconds.
  return clusterTime === undefined
    ? timeOfId(fullDocument._id)
    : new Date(clusterTime.getHighBitsUnsigned() * 1_000);
}

/** Returns when the change of a token was committed, in whole seconds; null for what is no token of MongoDB. */
export function timeOfToken(token: string): Date | null {
  // A timestamp (type 0x82), whose upper half is seconds.
  const [, seconds] = /^82([0-9A-F]{8})/.exec(token) ?? [];
  return seconds === undefined ? null : new Date(parseInt(seconds, 16) * 1_000);
}

export function startAfter(token: string): Pick<WatchOptions, 'startAfter'> {
  return { startAfter: { _data: token } };
}
