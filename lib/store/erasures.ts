// Erasures: the payloads of a tenant or of a user, taken away on request, and how far that is.
import type { Filter } from 'mongodb';
import type { Store } from './connect.ts';
import type { EventDocument } from './events.ts';

/** Whose payloads: those of one tenant, or those in which one of some texts stands as a value. */
export type ErasureSubject = { externalTenantId: string } | { mentions: string[] };

export interface ErasureDocument {
  _id: string;
  appUid: string;
  /** Null once it is done: it may hold what identifies a person. */
  subject: ErasureSubject | null;
  state: 'running' | 'done';
  /** The last event that was looked at. */
  after: string;
  erasedCount: number;
  createdAt: Date;
  finishedAt: Date | null;
}

/** Gives the erasure that has waited longest, or null when none is running. */
export async function findRunningErasure(store: Store): Promise<ErasureDocument | null> {
  return store.erasures.findOne({ state: 'running' }, { sort: { createdAt: 1 } });
}

/** Gives the filter of the events that are to lose their payloads. */
export function erasedBy(subject: ErasureSubject): Filter<EventDocument> {
  if ('externalTenantId' in subject) {
    return { externalTenantId: subject.externalTenantId, body: { $ne: '' } };
  }
  // The body was written by JSON.stringify, so a value stands in it exactly so.
  const values = subject.mentions.map((text) => escapeForPattern(JSON.stringify(text)));
  return { body: { $regex: values.join('|') } };
}

function escapeForPattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

/**
 * Takes the payloads of events away. First nothing may be sent any more; then go the deliveries that
 * are still to be made and what receivers answered, which may repeat the payload; the body goes last,
 * because by it the events are found again when a crash comes in between.
 */
export async function erasePayloads(
  store: Store,
  eventIds: readonly string[],
  now: Date,
): Promise<void> {
  if (eventIds.length === 0) return;
  const ids = [...eventIds];
  await store.events.updateMany({ _id: { $in: ids } }, { $set: { erasedAt: now } });
  await store.deliveries.updateMany(
    { eventId: { $in: ids }, state: { $in: ['pending', 'waiting', 'retrying', 'held'] } },
    { $set: { state: 'cancelled', lane: null, nextAttemptAt: null, updatedAt: now } },
  );
  await store.deliveries.updateMany(
    { eventId: { $in: ids }, attempts: { $ne: [] } },
    { $set: { 'attempts.$[].responseSample': '' } },
  );
  await store.events.updateMany({ _id: { $in: ids } }, { $set: { body: '' } });
}

/** Writes how far an erasure is. When it is done, whom it was about is forgotten. */
export async function noteErasureProgress(
  store: Store,
  erasure: ErasureDocument,
  progress: { after: string; erasedCount: number; isDone: boolean; now: Date },
): Promise<void> {
  const { after, erasedCount, isDone, now } = progress;
  await store.erasures.updateOne(
    // Two processes may do the same stretch; the one that comes second counts nothing again.
    { _id: erasure._id, state: 'running', after: erasure.after },
    {
      $set: { after, ...(isDone ? { state: 'done', subject: null, finishedAt: now } : {}) },
      $inc: { erasedCount },
    },
  );
}
