// Erasures: the payloads of a tenant or of a user, taken away on request, and how far that is.
import type { Filter } from 'mongodb';
import { isMentioned } from '../delivery/mentions.ts';
import { newId } from '../ids.ts';
import { openStates } from '../model/delivery-state.ts';
import type { ErasureDocument, ErasureSubject } from '../model/erasure.ts';
import type { EventDocument } from '../model/event.ts';
import type { Store } from './connect.ts';

/** Makes an erasure that nobody has begun with. */
export function newErasure(appUid: string, subject: ErasureSubject, now: Date): ErasureDocument {
  return {
    _id: newId('ers', now),
    appUid,
    subject,
    state: 'running',
    after: '',
    againAt: null,
    erasedCount: 0,
    createdAt: now,
    finishedAt: null,
  };
}

/**
 * Gives an erasure while it runs, or without a uid the one whose turn is next: first looks come before
 * second ones. Null for none.
 */
export async function findRunningErasure(
  store: Store,
  erasureUid?: string,
): Promise<ErasureDocument | null> {
  const which = erasureUid === undefined ? {} : { _id: erasureUid };
  const sort = { againAt: 1, createdAt: 1 } as const;
  return store.erasures.findOne({ ...which, state: 'running' }, { sort });
}

/** Gives those of an application's events that lose their payloads by an erasure, or lost them by it before. */
export async function findErasable(
  store: Store,
  events: Pick<Filter<EventDocument>, 'appUid' | '_id'>,
  { subject, erasureUid }: { subject: ErasureSubject; erasureUid: string },
): Promise<string[]> {
  if ('externalTenantId' in subject) {
    const { externalTenantId } = subject;
    const isMeant = { $or: [{ erasureUid }, { externalTenantId, body: { $ne: '' } }] };
    return store.events
      .find({ ...events, ...isMeant }, { projection: { _id: 1 } })
      .map((event) => event._id)
      .toArray();
  }
  const mayBeMeant = { $or: [{ erasureUid }, { body: { $regex: patternOf(subject.mentions) } }] };
  const found: string[] = [];
  // MongoDB gives 16 MB at a time, so no more than that is held, however long the payloads are.
  const candidates = store.events.find(
    { ...events, ...mayBeMeant },
    { projection: { erasureUid: 1, body: 1 } },
  );
  for await (const event of candidates) {
    const isMeant = event.erasureUid === erasureUid || isMentioned(event.body, subject.mentions);
    if (isMeant) found.push(event._id);
  }
  return found;
}

/**
 * Gives a pattern that is in every body in which one of the texts stands as a value, and in few others.
 * Bodies are written by JSON.stringify, which spells every text and every number in one way only.
 */
function patternOf(texts: readonly string[]): string {
  const strings = texts.map((text) => escapeForPattern(JSON.stringify(text)));
  const numbers = texts
    .filter((text) => String(Number(text)) === text)
    .map((text) => `[:,[]${escapeForPattern(text)}[,}\\]]`);
  return [...strings, ...numbers].join('|');
}

function escapeForPattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

/**
 * Takes the payloads of events away. First nothing may be sent any more, and no later event waits for
 * them; then go the deliveries that are still to be made and what receivers answered, which may repeat
 * the payload; the body goes last, because by it the events are found again when a crash comes in
 * between. The deliveries stay in their lanes, which are to be told. Doing it again changes nothing but what has been recorded since.
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
    { $set: { state: 'cancelled', nextAttemptAt: null, updatedAt: now } },
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
