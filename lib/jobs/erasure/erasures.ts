import type { ClientSession } from 'mongodb';
import { jobLimits } from '../../limits.ts';
import type { ErasureJob, ErasureSubject } from '../../model/job.ts';
import type { Store } from '../../mongo/connect.ts';
import { AppError } from '../../platform/errors.ts';
import { timeOfId } from '../../platform/ids.ts';
import { insertJob } from '../job-turns.ts';
import { newJob } from '../jobs.ts';

const { unfinishedPerKindMax } = jobLimits;

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
