// Erasures: the payloads of a tenant or of a user, taken away on request, and how far that is.
import type { Filter } from 'mongodb';
import { openStates } from '../delivery/outcome.ts';
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
  /** When the events are looked at for the second time; null during the first. */
  againAt: Date | null;
  /** How many events have lost their payloads by it. */
  erasedCount: number;
  createdAt: Date;
  finishedAt: Date | null;
}

/** Gives the running erasure whose turn is next: first looks come before second ones. Null for none. */
export async function findRunningErasure(store: Store): Promise<ErasureDocument | null> {
  return store.erasures.findOne({ state: 'running' }, { sort: { againAt: 1, createdAt: 1 } });
}

/** Gives the filter of the events that are to lose their payloads, or lost them by this very erasure. */
export function erasedBy(subject: ErasureSubject, erasureUid: string): Filter<EventDocument> {
  return { $or: [{ erasureUid }, withPayloadOf(subject)] };
}

function withPayloadOf(subject: ErasureSubject): Filter<EventDocument> {
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
 * Takes the payloads of events away. First nothing may be sent any more, and no later event waits for
 * them; then go the deliveries that are still to be made and what receivers answered, which may repeat
 * the payload; the body goes last, because by it the events are found again when a crash comes in
 * between. Doing it again changes nothing but what has been recorded since.
 */
export async function erasePayloads(
  store: Store,
  eventIds: readonly string[],
  { erasureUid, now }: { erasureUid: string; now: Date },
): Promise<void> {
  if (eventIds.length === 0) return;
  const ids = [...eventIds];
  await store.events.updateMany(
    { _id: { $in: ids }, erasureUid: { $ne: erasureUid } },
    { $set: { erasedAt: now, erasureUid, inOrder: false } },
  );
  await store.deliveries.updateMany(
    { eventId: { $in: ids }, state: { $in: [...openStates] } },
    { $set: { state: 'cancelled', lane: null, nextAttemptAt: null, updatedAt: now } },
  );
  await store.deliveries.updateMany(
    { eventId: { $in: ids }, attempts: { $ne: [] } },
    { $set: { 'attempts.$[].responseSample': '' } },
  );
  await store.events.updateMany({ _id: { $in: ids } }, { $set: { body: '' } });
}

/** Counts those of the events that lost their payloads by an erasure since a time. */
export async function countErased(
  store: Store,
  eventIds: readonly string[],
  { erasureUid, since }: { erasureUid: string; since: Date },
): Promise<number> {
  const erased = { _id: { $in: [...eventIds] }, erasureUid, erasedAt: { $gte: since } };
  return store.events.countDocuments(erased);
}

/** How far an erasure is after a stretch, and how many events lost their payloads in it. */
export interface ErasureProgress extends Pick<
  ErasureDocument,
  'after' | 'againAt' | 'erasedCount'
> {
  isDone: boolean;
  now: Date;
}

/** Writes how far an erasure is. When it is done, whom it was about is forgotten. */
export async function noteErasureProgress(
  store: Store,
  erasure: ErasureDocument,
  { after, againAt, erasedCount, isDone, now }: ErasureProgress,
): Promise<void> {
  const end = isDone ? ({ state: 'done', subject: null, finishedAt: now } as const) : {};
  await store.erasures.updateOne(
    // Two processes may do the same stretch; the one that comes second counts nothing again.
    { _id: erasure._id, state: 'running', after: erasure.after, againAt: erasure.againAt },
    { $set: { after, againAt, ...end }, $inc: { erasedCount } },
  );
}
