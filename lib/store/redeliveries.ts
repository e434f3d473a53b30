// Redeliveries: what somebody asked to have sent again, or dropped, and how far that is.
import type { ClientSession } from 'mongodb';
import { newId } from '../ids.ts';
import type {
  DiscardDocument,
  RedeliveryDocument,
  RedeliveryFacts,
  RedeliveryToStart,
} from '../model/redelivery.ts';
import type { Store } from './connect.ts';

/** Gives what a redelivery of any kind begins with. */
export function newRedelivery(appUid: string, now: Date): RedeliveryFacts {
  return {
    _id: newId('rdl', now),
    appUid,
    state: 'running',
    releasedCount: 0,
    createdAt: now,
    finishedAt: null,
    startedAt: null,
  };
}

/** Makes a discard, to be written with what it follows from. */
export function newDiscard(
  { appUid, webhookUids }: Pick<DiscardDocument, 'appUid' | 'webhookUids'>,
  now: Date,
): DiscardDocument {
  return { ...newRedelivery(appUid, now), kind: 'discard', webhookUids };
}

/** Gives what the dispatcher needs of a redelivery. */
export function toStart(redelivery: RedeliveryDocument): RedeliveryToStart {
  const { _id, appUid, kind } = redelivery;
  const webhookUids =
    redelivery.kind === 'replay' ? [redelivery.webhookUid] : redelivery.webhookUids;
  return { _id, appUid, kind, webhookUids };
}

/** Gives redeliveries that were asked for before `before` and that no workflow carries yet. */
export async function findUnstartedRedeliveries(
  store: Store,
  before: Date,
  countMax: number,
): Promise<RedeliveryToStart[]> {
  return store.redeliveries
    .find({ startedAt: null, createdAt: { $lt: before } })
    .sort({ createdAt: 1 })
    .limit(countMax)
    .map(toStart)
    .toArray();
}

/** Notes that a workflow carries a redelivery. */
export async function markRedeliveryStarted(store: Store, uid: string, at: Date): Promise<void> {
  await store.redeliveries.updateOne(
    { _id: uid, startedAt: null },
    { $set: { startedAt: at } },
    { writeConcern: { w: 1 } },
  );
}

/**
 * Begins to take the page of a redelivery after `after`, in the transaction that takes it. Gives false when
 * that redelivery has ended, is past this page or has had one taken since it was read: a worker that stood
 * still for long must not take what nobody would carry. Its end and its progress are written before or
 * after, never meanwhile.
 */
export async function beginPage(
  store: Store,
  { _id, pagesTaken }: Pick<RedeliveryDocument, '_id' | 'pagesTaken'>,
  { after, session }: { after: string; session: ClientSession },
): Promise<boolean> {
  const { matchedCount } = await store.redeliveries.updateOne(
    {
      _id,
      state: 'running',
      reached: { $not: { $gt: after } },
      pagesTaken: pagesTaken ?? { $exists: false },
    },
    { $inc: { pagesTaken: 1 } },
    { session },
  );
  return matchedCount > 0;
}

/**
 * Writes how far a redelivery is, and that it is done when nothing is left. What is handed on when it was
 * cancelled meanwhile counts as well, and repeating a page never takes the count back.
 */
export async function noteRedeliveryProgress(
  store: Store,
  uid: string,
  progress: { releasedCount: number; reached: string; isDone: boolean; now: Date },
): Promise<void> {
  const { releasedCount, reached, isDone, now } = progress;
  const farthest = { releasedCount, ...(reached === '' ? {} : { reached }) };
  // In one write: who sees it done sees its whole count, and one that runs and is past a page has another.
  if (isDone) {
    const { matchedCount } = await store.redeliveries.updateOne(
      { _id: uid, state: 'running' },
      { $set: { state: 'done', finishedAt: now }, $max: farthest },
    );
    if (matchedCount > 0) return;
  }
  await store.redeliveries.updateOne({ _id: uid }, { $max: farthest });
}
