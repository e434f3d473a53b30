import type { ClientSession } from 'mongodb';
import { newId, timeOfId } from '../platform/ids.ts';
import type { CancelReason } from '../model/delivery-state.ts';
import { type DeliveryDocument, pairOf } from '../model/delivery.ts';
import { discardCountOf } from '../model/discards.ts';
import type { EventDocument } from '../model/event.ts';
import type {
  JobDocument,
  JobFacts,
  JobToStart,
  ReleaseJob,
  ReplayJob,
  ResendJob,
  SyncJob,
} from '../model/job.ts';
import type { PartitionKey } from '../model/partition.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import type { Store } from '../mongo/connect.ts';
import type { TakenDelivery } from './taken-by-job.ts';

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
  if (job.kind === 'release' || job.kind === 'sync') {
    return { _id, appUid, kind, webhookUids: [job.webhookUid] };
  }
  return { _id, appUid, kind, webhookUids: job.kind === 'erasure' ? [] : job.webhookUids };
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

export interface PageContext {
  page: number;
  now: Date;
  session: ClientSession;
}

export interface TakenPage {
  cursor: string;
  count: number;
  isEnd: boolean;
  /** Partitions to signal after the transaction. */
  partitions: PartitionKey[];
  /** The deliveries before the job took them; workflows waiting for their retries are signalled afterwards. */
  takenByJob?: readonly TakenDelivery[];
  cancelled?: { count: number; reason: CancelReason };
  /** The time until the next page; by default a second. */
  waitMs?: number;
  progress?: Pick<ReplayJob, 'webhooksDone' | 'webhooks'> | Pick<SyncJob, 'counts'>;
}

export interface DeliveryToRequeue {
  event: Pick<EventDocument, '_id' | 'appUid' | 'event' | 'externalTenantId'>;
  webhookUid: string;
  partition: string | null;
  discardCount: number;
}

/**
 * Returns the discard count that a delivery of a job gets: the count at the request, so that a discard in between also
 * drops what the page would send. A job of an earlier version has none and uses the current count.
 */
export function discardCountFor(
  job: Pick<ResendJob | ReplayJob | SyncJob, 'seenDiscards'>,
  { _id, discardCount }: Pick<WebhookDocument, '_id' | 'discardCount'>,
): number {
  return job.seenDiscards === undefined
    ? discardCount
    : (discardCountOf(job.seenDiscards, _id) ?? 0);
}

export type PageStamp = Pick<
  DeliveryDocument,
  'jobUid' | 'jobPage' | 'requeuedAs' | 'requeuedAt' | 'requeuedBy'
>;

/** Gives deliveries a new owner or partition, to be sent again. Inserts those that have no document yet. */
export async function requeueDeliveries(
  store: Store,
  deliveries: readonly DeliveryToRequeue[],
  { stamp, now, session }: { stamp: PageStamp } & Omit<PageContext, 'page'>,
): Promise<void> {
  if (deliveries.length === 0) return;
  const ids = deliveries.map(({ event, webhookUid }) => pairOf({ eventId: event._id, webhookUid }));
  await store.deliveries.bulkWrite(
    deliveries.map(({ event, webhookUid, partition, discardCount }, index) => ({
      updateOne: {
        filter: { _id: ids[index] ?? '', appUid: event.appUid },
        update: {
          $setOnInsert: {
            eventId: event._id,
            webhookUid,
            event: event.event,
            externalTenantId: event.externalTenantId,
            attemptCount: 0,
            attempts: [],
            createdAt: timeOfId(event._id),
          },
          $set: { partition, discardCount },
        },
        upsert: true,
      },
    })),
    { session, ordered: false },
  );
  await store.deliveries.updateMany(
    { _id: { $in: ids } },
    [
      {
        $set: {
          ...stamp,
          state: 'pending',
          cancelReason: null,
          statusClass: null,
          errorClass: null,
          nextAttemptAt: null,
          isRateLimited: false,
          scheduleFrom: '$attemptCount',
          updatedAt: now,
        },
      },
    ],
    { session },
  );
}
