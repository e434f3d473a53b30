import type { ChangeStream, ChangeStreamInsertDocument, ChangeStreamOptions } from 'mongodb';
import type { EventDocument } from '../model/event.ts';
import { testEventName } from '../model/event-name.ts';
import type { Store } from '../mongo/connect.ts';

type Insert = ChangeStreamInsertDocument<EventDocument> & { _id: Token };

interface Token {
  _data: string;
}

/** Events in the order of their commits. All watches share the pipeline: a token is only valid with the one it is of. */
export type CommitWatch = ChangeStream<EventDocument, Insert>;

// Also the longest that a watch takes to notice that nothing comes.
const awaitMs = 250;

/** Watches the commits of all events but tests of webhooks, from a place on. */
export function watchCommits(
  store: Store,
  from: Pick<ChangeStreamOptions, 'startAfter' | 'startAtOperationTime'>,
): CommitWatch {
  const $match = { operationType: 'insert', 'fullDocument.event': { $ne: testEventName } };
  return store.events.watch<EventDocument, Insert>([{ $match }], {
    ...from,
    maxAwaitTimeMS: awaitMs,
  });
}

/** Returns the place up to which a watch has read, null before its first answer. */
export function placeOf(watch: CommitWatch): string | null {
  const token = watch.resumeToken as Token | null | undefined;
  return token?._data ?? null;
}

export function startAfter(token: string): ChangeStreamOptions {
  return { startAfter: { _data: token } };
}
