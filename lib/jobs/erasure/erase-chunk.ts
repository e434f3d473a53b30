import type { Filter } from 'mongodb';
import { inSlices } from '../../concurrency/in-slices.ts';
import { cancelDeliveries } from '../../deliveries/cancel-deliveries.ts';
import { jobLimits } from '../../limits.ts';
import { openStates } from '../../model/delivery-state.ts';
import { pairsOf } from '../../model/delivery.ts';
import { readData } from '../../model/event-payload.ts';
import type { EventDocument } from '../../model/event.ts';
import type { ErasureJob, ErasureSubject } from '../../model/job.ts';
import type { Store } from '../../mongo/connect.ts';
import { largeBatch } from '../../mongo/paging.ts';
import { idAt } from '../../platform/ids.ts';
import { instruments } from '../../telemetry/instruments.ts';
import { signalLater, type TakenPage } from '../page.ts';
import { hasValue, inBothForms, patternOf } from './erasure-subject.ts';

// The database searches the bodies, and candidates are checked again here. Fewer events per chunk with many webhooks,
// so that a command changes few enough deliveries to finish in time.
export const eventsPerChunk = 2_000;
const deliveriesPerChunk = 5_000;

// Longer than any write in flight during the first pass: an event (up to 60 s, the two writes of a report 50 s each),
// or the record of an attempt that had read the payload (30 s).
const { erasureSecondPassAfterMs: secondPassAfterMs } = jobLimits;

/**
 * Erases the next events of a pass, and returns what the page records of it. There are two passes, each over the events
 * recorded before the request. A chunk may be repeated, even concurrently.
 */
export async function eraseChunk(store: Store, job: ErasureJob, now: Date): Promise<TakenPage> {
  const { _id: erasureUid, appUid, subject, cursor, createdAt, pass, passStartedAt } = job;
  const waitMs = pass === 1 ? 0 : passStartedAt.getTime() - now.getTime();
  if (subject === null || waitMs > 0) return { isEnd: false, waitMs };
  const next = await store.events
    .find({ appUid, _id: { $gt: cursor, $lt: idAt('evt', createdAt) } })
    .project<SizedEvent>(eventSize)
    .sort({ _id: 1 })
    .limit(eventsPerChunk)
    .toArray();
  const chunk = firstThatFit(next, deliveriesPerChunk);
  const last = chunk.at(-1) ?? cursor;
  const scanned = { appUid, _id: { $gt: cursor, $lte: last } };
  const found = await findErasable(store, scanned, { subject, erasureUid });
  const partitionIds = await erasePayloads(store, found, { erasureUid, now });
  const partitions = await signalLater(store, partitionIds, { now });
  // Counted in the database, because this may be a repeat after a crash.
  const since = pass === 1 ? new Date(0) : passStartedAt;
  const erased = { _id: { $in: found }, erasureUid, erasedAt: { $gte: since } };
  const count = await store.events.countDocuments(erased);
  const made = { count, partitions, waitMs: 0 };
  const isLast = chunk.length === next.length && next.length < eventsPerChunk;
  if (!isLast) return { ...made, isEnd: false, cursor: last };
  // The subject is deleted too, because it may name a person.
  if (pass === 2) return { ...made, isEnd: true, cursor: last, progress: { subject: null } };
  const second = { pass: 2, passStartedAt: new Date(now.getTime() + secondPassAfterMs) } as const;
  return { ...made, isEnd: false, cursor: '', progress: second, waitMs: secondPassAfterMs };
}

interface SizedEvent {
  _id: string;
  deliveries: number;
}

const eventSize = { deliveries: { $size: '$webhookUids' } };

/** Returns the leading events, at least one, that together have at most `deliveriesMax` deliveries. */
function firstThatFit(events: readonly SizedEvent[], deliveriesMax: number): string[] {
  let sum = 0;
  const end = events.findIndex(({ deliveries }, index) => {
    sum += deliveries;
    return index > 0 && sum > deliveriesMax;
  });
  return events.slice(0, end === -1 ? events.length : end).map(({ _id }) => _id);
}

/** Returns the events whose payloads concern the subject, also if this erasure has already erased them. */
export async function findErasable(
  store: Store,
  events: Pick<Filter<EventDocument>, 'appUid' | '_id'>,
  { subject, erasureUid }: { subject: ErasureSubject; erasureUid: string },
): Promise<string[]> {
  if ('externalTenantId' in subject) {
    const { externalTenantId } = subject;
    const isMatch = { $or: [{ erasureUid }, { externalTenantId, body: { $ne: '' } }] };
    return store.events
      .find({ ...events, ...isMatch }, { projection: { _id: 1 } })
      .map((event) => event._id)
      .toArray();
  }
  const texts = inBothForms(subject.mentions);
  const mayMatch = { $or: [{ erasureUid }, { body: { $regex: patternOf(texts) } }] };
  const found: string[] = [];
  // Streamed, so that few payloads are in memory.
  const candidates = store.events.find(
    { ...events, ...mayMatch },
    { projection: { erasureUid: 1, body: 1 }, ...largeBatch },
  );
  for await (const event of inSlices(candidates)) {
    const isMatch = event.erasureUid === erasureUid || hasValue(readData(event.body), texts);
    if (isMatch) found.push(event._id);
  }
  return found;
}

// Repeatable. Cancels all sends first, then removes response samples, which may repeat the payload. The body goes last,
// because a repeat after a crash finds the events by it. Returns the partitions of the cancelled deliveries.
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
  const ofEvents = { _id: pairsOf(ids) };
  const open = { ...ofEvents, state: { $in: [...openStates] } };
  const count = await cancelDeliveries(store, open, { reason: 'erased', now });
  instruments.deliveriesCancelled.add(count, { reason: 'erased' });
  await store.deliveries.updateMany(
    {
      ...ofEvents,
      $or: [
        { 'attempts.responseSample': { $gt: '' } },
        { 'attempts.responseHeaders': { $exists: true } },
      ],
    },
    {
      $set: { 'attempts.$[].responseSample': '' },
      $unset: { 'attempts.$[].responseHeaders': '' },
    },
  );
  await store.events.updateMany({ _id: { $in: ids } }, { $set: { body: '' } });
  return store.deliveries.distinct('partition', {
    ...ofEvents,
    state: 'cancelled',
    partition: { $type: 'string' },
  }) as Promise<string[]>;
}
