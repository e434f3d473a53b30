// Events as they are stored: the exact bytes to send, for whom, and whether a workflow carries them.
import type { EventName } from '../events.ts';
import type { Store } from './connect.ts';

export interface EventDocument {
  _id: string;
  appUid: string;
  event: EventName;
  resourceUid: string;
  externalTenantId: string;
  timestamp: Date;
  /** The body of every attempt, byte for byte. */
  body: string;
  /** The webhooks subscribed at the time of the change, paused ones included. */
  webhookUids: string[];
  /** When a workflow took the event over; null while none has. */
  dispatchedAt: Date | null;
  createdAt: Date;
}

/** The part of an event that starting its workflow needs. */
export type EventToDispatch = Pick<
  EventDocument,
  '_id' | 'appUid' | 'event' | 'resourceUid' | 'externalTenantId' | 'webhookUids'
>;

/** Gives events that no workflow carries yet and that were recorded before `before`, oldest first. */
export async function findUndispatched(
  store: Store,
  before: Date,
  countMax: number,
): Promise<EventToDispatch[]> {
  return store.events
    .find({ dispatchedAt: null, createdAt: { $lt: before } }, { projection: { body: 0 } })
    .sort({ createdAt: 1 })
    .limit(countMax)
    .toArray();
}

/**
 * Notes that a workflow carries an event. Losing this write costs one more start, which Temporal
 * answers with "already started"; so one server's acknowledgement is enough.
 */
export async function markDispatched(store: Store, eventId: string, at: Date): Promise<void> {
  await store.events.updateOne(
    { _id: eventId, dispatchedAt: null },
    { $set: { dispatchedAt: at } },
    { writeConcern: { w: 1 } },
  );
}
