// Erasures: the payloads of a tenant or of a user, taken away on request, and how far that is.
import type { Filter } from 'mongodb';
import { isMentioned } from '../events/mentions.ts';
import { openStates } from '../model/delivery-state.ts';
import type { EventDocument } from '../model/event.ts';
import type { ErasureJob, ErasureSubject } from '../model/job.ts';
import type { Store } from '../mongo/connect.ts';
import { newJob } from './jobs.ts';

/** Makes an erasure that nobody has begun with. */
export function newErasure(appUid: string, subject: ErasureSubject, now: Date): ErasureJob {
  return { ...newJob(appUid, now), kind: 'erasure', subject, pass: 1, passStartedAt: now };
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
 * Takes the payloads of events away. First nothing may be sent any more; then go the deliveries that are still to be made and what receivers answered, which may repeat
 * the payload; the body goes last, because by it the events are found again when a crash comes in
 * between. Returns the partitions of the deliveries that it cancelled, now or before. Doing it again changes
 * nothing but what has been recorded since.
 */
export async function erasePayloads(
  store: Store,
  eventIds: readonly string[],
  { erasureUid, now }: { erasureUid: string; now: Date },
): Promise<string[]> {
  if (eventIds.length === 0) return [];
  const ids = [...eventIds];
  await store.events.updateMany(
    { _id: { $in: ids }, erasureUid: { $ne: erasureUid } },
    { $set: { erasedAt: now, erasureUid } },
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
  return store.deliveries.distinct('partition', {
    eventId: { $in: ids },
    state: 'cancelled',
    partition: { $type: 'string' },
  }) as Promise<string[]>;
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

/** How far an erasure is after a page, and how many events lost their payloads in it. */
export interface ErasureProgress {
  page: number;
  count: number;
  next: Partial<Pick<ErasureJob, 'cursor' | 'pass' | 'passStartedAt'>>;
  isDone: boolean;
  now: Date;
}

/** Records how far an erasure is, once a page, and returns it. When it is done, whom it was about is forgotten. */
export async function recordErasureProgress(
  store: Store,
  { _id }: Pick<ErasureJob, '_id'>,
  { page, count, next, isDone, now }: ErasureProgress,
): Promise<ErasureJob | null> {
  const end = isDone ? ({ state: 'done', subject: null, finishedAt: now } as const) : {};
  const recorded = await store.jobs.findOneAndUpdate(
    { _id, state: 'running', page: page - 1 },
    { $set: { page, ...next, ...end }, $inc: { count } },
    { returnDocument: 'after' },
  );
  return recorded?.kind === 'erasure' ? recorded : null;
}
