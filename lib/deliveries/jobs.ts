// Jobs: what is done page by page: releases, resends, replays and erasures.
import type { ClientSession } from 'mongodb';
import { newId } from '../platform/ids.ts';
import type { DeliveryDocument, DeliveryKey } from '../model/delivery.ts';
import type { EventDocument } from '../model/event.ts';
import type { JobDocument, JobFacts, JobToStart, ReleaseJob } from '../model/job.ts';
import type { Store } from '../mongo/connect.ts';

/** Returns what a job of any kind begins with. */
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

/** Returns a release, to be inserted with the resume or deletion that it follows from. */
export function newRelease(
  { appUid, webhookUid }: Pick<ReleaseJob, 'appUid' | 'webhookUid'>,
  now: Date,
): ReleaseJob {
  return { ...newJob(appUid, now), kind: 'release', webhookUid };
}

/** Returns what the dispatcher needs of a job. */
export function toStart(job: JobDocument): JobToStart {
  const { _id, appUid, kind } = job;
  if (job.kind === 'resend') return { _id, appUid, kind, webhookUids: job.webhookUids };
  return { _id, appUid, kind, webhookUids: job.kind === 'erasure' ? [] : [job.webhookUid] };
}

/** Returns jobs that were asked for before `before` and whose workflow was not started yet. */
export async function findUnstartedJobs(
  store: Store,
  before: Date,
  countMax: number,
): Promise<JobToStart[]> {
  return store.jobs
    .find({ startedAt: null, createdAt: { $lt: before } })
    .sort({ createdAt: 1 })
    .limit(countMax)
    .map(toStart)
    .toArray();
}

/** Records that the workflow of a job was started. */
export async function markJobStarted(store: Store, jobUid: string, at: Date): Promise<void> {
  await store.jobs.updateOne(
    { _id: jobUid, startedAt: null },
    { $set: { startedAt: at } },
    { writeConcern: { w: 1 } },
  );
}

/**
 * Begins page n of a job, in the transaction that takes it. Returns the job, or null when the page was
 * taken before or the job has ended: each page is taken once, also by a worker that stood still for long.
 */
export async function beginPage(
  store: Store,
  { jobUid, page, session }: { jobUid: string; page: number; session: ClientSession },
): Promise<JobDocument | null> {
  return store.jobs.findOneAndUpdate(
    { _id: jobUid, state: 'running', page: page - 1 },
    { $set: { page } },
    { session, returnDocument: 'after' },
  );
}

/** What a page of a job came to. */
export interface PageProgress {
  cursor: string;
  count: number;
  isEnd: boolean;
}

/** Ends a page in its transaction, and the job with the last one. */
export async function endPage(
  store: Store,
  jobUid: string,
  { cursor, count, isEnd, now, session }: PageProgress & { now: Date; session: ClientSession },
): Promise<void> {
  const end = isEnd ? ({ state: 'done', finishedAt: now } as const) : {};
  await store.jobs.updateOne(
    { _id: jobUid },
    { $set: { cursor, ...end }, $inc: { count } },
    { session },
  );
}

/** A delivery that a job sends again; the event's name is for one of which nothing was recorded yet. */
export type SentAgain = DeliveryKey & Pick<EventDocument, 'event'> & { partition: string | null };

/** What a page writes on its deliveries. */
export type PageStamp = Pick<DeliveryDocument, 'jobUid' | 'jobPage' | 'requeuedAs' | 'requeuedAt'>;

/**
 * Has deliveries sent again: each is due now, and its schedule begins anew. They are those of one event to
 * several webhooks, or of several events to one.
 */
export async function requeueDeliveries(
  store: Store,
  deliveries: readonly SentAgain[],
  { stamp, now, session }: { stamp: PageStamp; now: Date; session: ClientSession },
): Promise<void> {
  if (deliveries.length === 0) return;
  await store.deliveries.bulkWrite(
    deliveries.map(({ partition, ...key }) => ({
      updateOne: {
        filter: { eventId: key.eventId, webhookUid: key.webhookUid, appUid: key.appUid },
        update: {
          $setOnInsert: {
            _id: newId('dlv', now),
            event: key.event,
            attemptCount: 0,
            attempts: [],
            statusClass: null,
            createdAt: now,
          },
          $set: { partition },
        },
        upsert: true,
      },
    })),
    { session, ordered: false },
  );
  await store.deliveries.updateMany(
    {
      eventId: { $in: [...new Set(deliveries.map(({ eventId }) => eventId))] },
      webhookUid: { $in: [...new Set(deliveries.map(({ webhookUid }) => webhookUid))] },
    },
    [
      {
        $set: {
          ...stamp,
          state: 'pending',
          nextAttemptAt: null,
          scheduleFrom: '$attemptCount',
          updatedAt: now,
        },
      },
    ],
    { session },
  );
}

/** Returns the deliveries that a page of a job took and that nobody else sends since, in the order of their events. */
export async function findStamped(
  store: Store,
  { jobUid, page }: { jobUid: string; page: number },
): Promise<Pick<DeliveryDocument, 'eventId' | 'webhookUid'>[]> {
  return store.deliveries
    .find({ jobUid, jobPage: page }, { projection: { eventId: 1, webhookUid: 1 } })
    .sort({ eventId: 1 })
    .toArray();
}
