// Takes payloads away on request, a stretch of events at a time.
import { minuteMs } from '../platform/duration.ts';
import { idAt } from '../platform/ids.ts';
import type { ErasureJob } from '../model/job.ts';
import { keyOfPartition } from '../model/partition.ts';
import { countErased, erasePayloads, findErasable, recordErasureProgress } from './erasures.ts';
import { expectSignal } from './partitions.ts';
import type { JobPage } from '../temporal/messages.ts';
import type { DeliveryPorts } from './ports.ts';

// Bodies are searched for texts, by the database and those it finds once more here, so a stretch is kept short.
const eventsPerStretch = 2_000;

/**
 * How long after an erasure's first pass the second begins. What was under way then is written by then,
 * or never: an event whose uid is older than the erasure (10 s for a transaction, 60 s on a server that
 * sets no limit of its own; 50 s for each of a report's two writes, repeated once by the driver), or
 * what a receiver answered to an attempt that had read the payload before (30 s).
 */
const secondPassAfterMs = 5 * minuteMs;

/**
 * Looks at the next events of an erasure, and takes the payloads that it is about away. Only events
 * recorded before the request are; doing a stretch again, or in two processes at once, changes nothing.
 * All events are looked at twice, for the sake of what was being written during the first pass.
 */
export async function eraseStretch(
  { store, signalPartition }: Pick<DeliveryPorts, 'store' | 'signalPartition'>,
  job: ErasureJob,
  { page, now }: { page: number; now: Date },
): Promise<JobPage> {
  const { _id: erasureUid, appUid, subject, cursor, createdAt } = job;
  // Taken before a crash: the page after it goes on.
  if (subject === null || job.page >= page) return nextStretch(job, now);
  const range = { $gt: cursor, $lt: idAt('evt', createdAt) };
  const stretch = await store.events
    .find({ appUid, _id: range }, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .limit(eventsPerStretch)
    .map((event) => event._id)
    .toArray();
  const last = stretch.at(-1) ?? cursor;
  const scanned = { appUid, _id: { $gt: cursor, $lte: last } };
  const found = await findErasable(store, scanned, { subject, erasureUid });
  const partitionIds = await erasePayloads(store, found, { erasureUid, now });
  await expectSignal(store, partitionIds, { now });
  const partitions = await store.partitions.find({ _id: { $in: partitionIds } }).toArray();
  await Promise.all(partitions.map((each) => signalPartition(keyOfPartition(each))));
  // Counted from what is there, so that a stretch that was killed before this and is repeated counts it.
  const since = job.pass === 1 ? new Date(0) : job.passStartedAt;
  const count = await countErased(store, found, { erasureUid, since });
  const isEnd = stretch.length < eventsPerStretch;
  const next = isEnd && job.pass === 1 ? secondPass(now) : { cursor: last };
  const isDone = isEnd && job.pass === 2;
  const progress = { page, count, next, isDone, now };
  return nextStretch((await recordErasureProgress(store, job, progress)) ?? job, now);
}

function secondPass(now: Date): Pick<ErasureJob, 'cursor' | 'pass' | 'passStartedAt'> {
  const passStartedAt = new Date(now.getTime() + secondPassAfterMs);
  return { cursor: '', pass: 2, passStartedAt };
}

function nextStretch({ state, passStartedAt }: ErasureJob, now: Date): JobPage {
  const waitMs = Math.max(0, passStartedAt.getTime() - now.getTime());
  return { events: [], isLast: state !== 'running', waitMs };
}
