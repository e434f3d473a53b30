// Events as they are stored: the exact bytes to send, for whom, and whether a workflow carries them.
import type { EventToAttempt, EventToDispatch } from '../model/event.ts';
import { inTransaction, type Store } from '../mongo/connect.ts';

/** The projection that reads an event's facts alone. */
export const factsOnly = { body: 0 } as const;

// A process may have thousands of attempts in hand that wait for their turns. Most bodies are so short
// that a read of their own would cost more than they do.
const shortBodyBytesMax = 4 * 1_024;

/** Reads events for attempts at them, without long bodies; in no order. */
export async function findToAttempt(
  store: Store,
  eventIds: readonly string[],
): Promise<EventToAttempt[]> {
  const isShort = { $lte: [{ $strLenBytes: '$body' }, shortBodyBytesMax] };
  const parts = { appUid: 1, event: 1, entity: 1, resourceUid: 1, externalTenantId: 1 } as const;
  const projection = {
    ...parts,
    sequence: 1,
    order: 1,
    erasedAt: 1,
    body: { $cond: [isShort, '$body', null] },
  };
  return store.events
    .find<EventToAttempt>({ _id: { $in: [...eventIds] } }, { projection })
    .toArray();
}

/** Reads the bodies of events; those that were removed or erased are not in the map. */
export async function findBodies(
  store: Store,
  eventIds: readonly string[],
): Promise<Map<string, string>> {
  const found = await store.events
    .find({ _id: { $in: [...eventIds] }, erasedAt: null }, { projection: { body: 1 } })
    .toArray();
  return new Map(found.map((event) => [event._id, event.body]));
}

/**
 * Gives events recorded before `before` that no workflow carries and none is to carry yet, oldest
 * first.
 */
export async function findUnclaimed(
  store: Store,
  before: Date,
  countMax: number,
): Promise<EventToDispatch[]> {
  return store.events
    .find(
      { dispatchedAt: null, workflowId: null, createdAt: { $lt: before } },
      { projection: factsOnly },
    )
    .sort({ createdAt: 1 })
    .limit(countMax)
    .toArray();
}

/**
 * Gives the events of workflows that were chosen and, as far as is known, never started, when one of
 * them at least was recorded before `before`: all events of each such workflow, the younger ones too,
 * because a workflow that was started with some of its events never gets the others. Those of one
 * workflow stand together. Of the old ones it looks at `countMax`.
 */
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
      // At one moment of the database, so that a batch is seen whole or not at all.
      { projection: factsOnly, readConcern: { level: 'snapshot' } },
    )
    .sort({ workflowId: 1, createdAt: 1 })
    .toArray();
}

/**
 * Writes on events which workflow is to carry them, before it is started, so that whoever repeats
 * the start after a crash repeats the same batch. Gives the events that are this workflow's now;
 * those that another process chose a workflow for are its own. All of them or none, because a
 * relay that saw half a batch would start it so, and the other half would count as started.
 */
export async function claimEvents(
  store: Store,
  events: readonly EventToDispatch[],
  workflowId: string,
): Promise<EventToDispatch[]> {
  const unclaimed = { _id: { $in: events.map((event) => event._id) }, workflowId: null };
  return inTransaction(store, async (session) => {
    const { modifiedCount } = await store.events.updateMany(
      unclaimed,
      { $set: { workflowId } },
      { session },
    );
    if (modifiedCount === events.length) return [...events];
    return store.events
      .find({ _id: unclaimed._id, workflowId }, { session, projection: factsOnly })
      .sort({ _id: 1 })
      .toArray();
  });
}

/**
 * Notes that a workflow carries events. Losing this write costs one more start, which Temporal
 * answers with "already started"; so one server's acknowledgement is enough.
 */
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
