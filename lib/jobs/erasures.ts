import type { ClientSession, Filter } from 'mongodb';
import { inSlices } from '../concurrency/in-slices.ts';
import { jobLimits } from '../limits.ts';
import { AppError } from '../platform/errors.ts';
import { idAt, timeOfId } from '../platform/ids.ts';
import { pairsOf } from '../model/delivery.ts';
import { openStates } from '../model/delivery-state.ts';
import type { EventDocument } from '../model/event.ts';
import { readData } from '../model/event-payload.ts';
import type { ErasureJob, ErasureSubject } from '../model/job.ts';
import { keyOfPartition } from '../model/partition.ts';
import { instruments } from '../telemetry/instruments.ts';
import type { Store } from '../mongo/connect.ts';
import { largeBatch } from '../mongo/paging.ts';
import type { JobPage } from '../temporal/messages.ts';
import { cancelDeliveries } from '../deliveries/deliveries.ts';
import { hasValue, inBothForms, patternOf } from './erasure-subject.ts';
import { insertJob } from './job-turns.ts';
import { newJob } from './jobs.ts';
import { scheduleSignal } from '../order/partitions.ts';
import type { DeliveryPorts } from '../deliveries/ports.ts';

// The database searches the bodies, and candidates are checked again here. Fewer events per chunk with many webhooks,
// so that a command changes few enough deliveries to finish in time.
export const eventsPerChunk = 2_000;
const deliveriesPerChunk = 5_000;

// Longer than any write in flight during the first pass: an event (up to 60 s, the two writes of a report 50 s each),
// or the record of an attempt that had read the payload (30 s).
const { erasureSecondPassAfterMs: secondPassAfterMs, unfinishedPerKindMax } = jobLimits;

/**
 * Records an erasure of what is stored at its snapshot, in the transaction of the request. A page of a sync conflicts
 * with this transaction: it either comes before and is erased, or leaves the subject out. Throws `limit_reached`.
 */
export async function insertErasure(
  store: Store,
  { appUid, subject, now }: { appUid: string; subject: ErasureSubject; now: Date },
  session: ClientSession,
): Promise<ErasureJob> {
  const at = await afterAllEvents(store, { appUid, now }, session);
  const erasure = newErasure(appUid, subject, at);
  const state = await insertJob(store, erasure, session);
  await leaveOutOfSyncs(store, erasure, session);
  return { ...erasure, state };
}

// A sync makes new events of stored resources, and may take longer than the erasure, which forgets its subject.
async function leaveOutOfSyncs(
  store: Store,
  { appUid, subject }: ErasureJob,
  session: ClientSession,
): Promise<void> {
  const unfinished = { appUid, kind: 'sync', finishedAt: null } as const;
  const isFull = { [`erasedSince.${unfinishedPerKindMax - 1}`]: { $exists: true } };
  const full = await store.jobs.findOne({ ...unfinished, ...isFull }, { session });
  if (full !== null) {
    const detail = `${unfinishedPerKindMax} erasures were requested since the sync ${full._id}; cancel it, or try again when it has ended`;
    throw new AppError('limit_reached', detail);
  }
  await store.jobs.updateMany(unfinished, { $addToSet: { erasedSince: subject } }, { session });
}

export function newErasure(appUid: string, subject: ErasureSubject, now: Date): ErasureJob {
  return { ...newJob(appUid, now), kind: 'erasure', subject, pass: 1, passStartedAt: now };
}

/** Returns now, or the millisecond after the latest event if the clock of another process is ahead. */
async function afterAllEvents(
  store: Store,
  { appUid, now }: { appUid: string; now: Date },
  session: ClientSession,
): Promise<Date> {
  const latest = await store.events.findOne(
    { appUid },
    { projection: { _id: 1 }, sort: { _id: -1 }, session },
  );
  const latestMs = latest === null ? 0 : timeOfId(latest._id).getTime();
  return new Date(Math.max(now.getTime(), latestMs + 1));
}

// Erases only events recorded before the request, each of them twice. A chunk may be repeated, even concurrently.
export async function eraseChunk(
  { store, signalPartition }: Pick<DeliveryPorts, 'store' | 'signalPartition'>,
  job: ErasureJob,
  { page, now }: { page: number; now: Date },
): Promise<JobPage> {
  const { _id: erasureUid, appUid, subject, cursor, createdAt } = job;
  // A repeat of a finished page: the next page continues.
  if (subject === null || job.page >= page) return toPage(job, now);
  const range = { $gt: cursor, $lt: idAt('evt', createdAt) };
  const next = await store.events
    .find({ appUid, _id: range })
    .project<SizedEvent>(eventSize)
    .sort({ _id: 1 })
    .limit(eventsPerChunk)
    .toArray();
  const chunk = firstThatFit(next, deliveriesPerChunk);
  const last = chunk.at(-1) ?? cursor;
  const scanned = { appUid, _id: { $gt: cursor, $lte: last } };
  const found = await findErasable(store, scanned, { subject, erasureUid });
  const partitionIds = await erasePayloads(store, found, { erasureUid, now });
  await scheduleSignal(store, partitionIds, { now });
  const partitions = await store.partitions.find({ _id: { $in: partitionIds } }).toArray();
  await Promise.all(partitions.map((each) => signalPartition(keyOfPartition(each))));
  // Counted in the database, because this may be a repeat after a crash.
  const since = job.pass === 1 ? new Date(0) : job.passStartedAt;
  const erased = { _id: { $in: found }, erasureUid, erasedAt: { $gte: since } };
  const count = await store.events.countDocuments(erased);
  const isEnd = chunk.length === next.length && next.length < eventsPerChunk;
  const progress = isEnd ? endPass(job, { last, now }) : { cursor: last };
  // A late repeat of a page is not counted twice.
  const recorded = await store.jobs.findOneAndUpdate(
    { _id: erasureUid, state: 'running', page: { $lt: page } },
    { $set: { page, ...progress }, $inc: { count } },
    { returnDocument: 'after' },
  );
  return toPage(recorded?.kind === 'erasure' ? recorded : job, now);
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

// At the end, the subject is deleted too, because it may name a person.
function endPass(
  { pass }: ErasureJob,
  { last, now }: { last: string; now: Date },
): Partial<ErasureJob> {
  if (pass === 2) return { cursor: last, state: 'done', subject: null, finishedAt: now };
  return { cursor: '', pass: 2, passStartedAt: new Date(now.getTime() + secondPassAfterMs) };
}

function toPage({ state, passStartedAt }: ErasureJob, now: Date): JobPage {
  const waitMs = Math.max(0, passStartedAt.getTime() - now.getTime());
  return { events: [], isLast: state !== 'running', waitMs };
}

/** Returns the events whose payloads concern the subject, and those that this erasure has already erased. */
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
