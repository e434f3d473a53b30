import { newId } from '../platform/ids.ts';
import type { JobDocument, JobFacts, JobToStart, ReleaseJob } from '../model/job.ts';
import type { Store } from '../mongo/connect.ts';
import { findOrProveAbsent, within } from '../mongo/transaction.ts';

export function newJob(appUid: string, now: Date): JobFacts {
  return {
    _id: newId('job', now),
    appUid,
    state: 'running',
    page: 0,
    cursor: '',
    count: 0,
    createdAt: now,
    startedAt: null,
    finishedAt: null,
  };
}

/** Returns a release job for the transaction of a resume or deletion. */
export function newRelease(
  { appUid, webhookUid }: Pick<ReleaseJob, 'appUid' | 'webhookUid'>,
  now: Date,
): ReleaseJob {
  return { ...newJob(appUid, now), kind: 'release', webhookUid };
}

/** Returns the part of a job that a start needs. */
export function toStart(job: JobDocument): JobToStart {
  const { _id, appUid, kind } = job;
  if ('webhookUids' in job) return { _id, appUid, kind, webhookUids: job.webhookUids };
  return { _id, appUid, kind, webhookUids: 'webhookUid' in job ? [job.webhookUid] : [] };
}

/** Returns running jobs created before `before` whose workflow was not started yet, oldest first. */
export async function findUnstartedJobs(
  store: Store,
  before: Date,
  countMax: number,
): Promise<JobToStart[]> {
  return store.jobs
    .find({ startedAt: null, state: 'running', createdAt: { $lt: before } })
    .sort({ createdAt: 1 })
    .limit(countMax)
    .map(toStart)
    .toArray();
}

/** Records the start of a job's workflow. With `w: 1`: a lost write costs one start, which Temporal refuses. */
export async function markJobStarted(store: Store, jobUid: string, at: Date): Promise<void> {
  await store.jobs.updateOne(
    { _id: jobUid, startedAt: null },
    { $set: { startedAt: at } },
    { writeConcern: { w: 1 } },
  );
}

export function findJob(store: Store, jobUid: string): Promise<JobDocument | null> {
  return findOrProveAbsent(store, (session) =>
    store.jobs.findOne({ _id: jobUid }, within(session)),
  );
}
