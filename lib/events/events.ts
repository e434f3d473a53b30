import type { ClientSession } from 'mongodb';
import { attemptFields, type EventToAttempt, type EventToDispatch } from '../model/event.ts';
import { type Store } from '../mongo/connect.ts';
import { inTransaction, within } from '../mongo/transaction.ts';

export const factsOnly = { body: 0 } as const;
// The projection to `EventToDispatch`: the partition numbers of an event may be many.
const toDispatchOnly = { body: 0, order: 0 } as const;

// Long bodies are read later, because thousands of attempts may be in memory; short ones are cheaper to read here.
const shortBodyBytesMax = 4 * 1_024;

/** Reads events for attempts, without long bodies, in no particular order. */
export async function findEventsToAttempt(
  store: Store,
  eventIds: readonly string[],
  session?: ClientSession,
): Promise<EventToAttempt[]> {
  const isShort = { $lte: [{ $strLenBytes: '$body' }, shortBodyBytesMax] };
  const projection = { ...attemptFields, body: { $cond: [isShort, '$body', null] } };
  return store.events
    .find<EventToAttempt>({ _id: { $in: [...eventIds] } }, { projection, ...within(session) })
    .toArray();
}

/** Reads the bodies of events by uid, except for removed and erased ones. */
export async function findBodies(
  store: Store,
  eventIds: readonly string[],
  session?: ClientSession,
): Promise<Map<string, string>> {
  const found = await store.events
    .find(
      { _id: { $in: [...eventIds] }, erasedAt: null },
      { projection: { body: 1 }, ...within(session) },
    )
    .toArray();
  return new Map(found.map((event) => [event._id, event.body]));
}

/** Returns events recorded before `before` that have no workflow yet, oldest first. */
export async function findUnclaimed(
  store: Store,
  before: Date,
  countMax: number,
): Promise<EventToDispatch[]> {
  return store.events
    .find(
      { dispatchedAt: null, workflowId: null, createdAt: { $lt: before } },
      { projection: toDispatchOnly },
    )
    .sort({ createdAt: 1 })
    .limit(countMax)
    .toArray();
}

/** Returns all events of workflows that may never have started, by workflow. No event can join them any more. */
export async function findClaimed(
  store: Store,
  before: Date,
  countMax: number,
): Promise<EventToDispatch[]> {
  const claimed = { dispatchedAt: null, workflowId: { $gt: '' } };
  const old = await store.events
    .find({ ...claimed, createdAt: { $lt: before } }, { projection: { _id: 0, workflowId: 1 } })
    .sort({ workflowId: 1 })
    .limit(countMax)
    .toArray();
  const workflowIds = [...new Set(old.map((event) => event.workflowId))];
  if (workflowIds.length === 0) return [];
  return store.events
    .find(
      { dispatchedAt: null, workflowId: { $in: workflowIds } },
      // A snapshot, so that a batch is seen as a whole or not at all.
      { projection: toDispatchOnly, readConcern: { level: 'snapshot' } },
    )
    .sort({ workflowId: 1, createdAt: 1 })
    .toArray();
}

/**
 * Claims events for a workflow before its start, so that a start after a crash repeats the same batch. Returns the
 * claimed events. Several share a transaction: a relay that saw half a batch would start it and lose the other half.
 */
export async function claimEvents(
  store: Store,
  events: readonly EventToDispatch[],
  workflowId: string,
): Promise<EventToDispatch[]> {
  const unclaimed = { _id: { $in: events.map((event) => event._id) }, workflowId: null };
  const claim = async (session?: ClientSession): Promise<EventToDispatch[]> => {
    const claimed = { $set: { workflowId } };
    const { modifiedCount } = await store.events.updateMany(unclaimed, claimed, within(session));
    if (modifiedCount === events.length) return [...events];
    return store.events
      .find({ _id: unclaimed._id, workflowId }, { projection: toDispatchOnly, ...within(session) })
      .sort({ _id: 1 })
      .toArray();
  };
  return events.length === 1 ? claim() : inTransaction(store, claim);
}

/** Records the start of the workflow of events. With `w: 1`: a lost write costs one start, which Temporal refuses. */
export async function markDispatched(
  store: Store,
  eventIds: readonly string[],
  at: Date,
): Promise<void> {
  await store.events.updateMany(
    { _id: { $in: [...eventIds] }, dispatchedAt: null },
    { $set: { dispatchedAt: at } },
    { writeConcern: { w: 1 } },
  );
}
