import type { ClientSession } from 'mongodb';
import { newId } from '../platform/ids.ts';
import type { CancelReason } from '../model/delivery-state.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import { discardCountOf } from '../model/discards.ts';
import type { EventDocument } from '../model/event.ts';
import type {
  JobDocument,
  JobFacts,
  JobToStart,
  ReleaseJob,
  ReplayJob,
  ResendJob,
} from '../model/job.ts';
import type { PartitionKey } from '../model/partition.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import type { Store } from '../mongo/connect.ts';
import type { Overtaken } from './overtaken.ts';

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

/** Returns a release, to be inserted in the transaction of its resume or deletion. */
export function newRelease(
  { appUid, webhookUid }: Pick<ReleaseJob, 'appUid' | 'webhookUid'>,
  now: Date,
): ReleaseJob {
  return { ...newJob(appUid, now), kind: 'release', webhookUid };
}

/** Returns the part of a job that a start needs. */
export function toStart(job: JobDocument): JobToStart {
  const { _id, appUid, kind } = job;
  if (job.kind === 'release') return { _id, appUid, kind, webhookUids: [job.webhookUid] };
  return { _id, appUid, kind, webhookUids: job.kind === 'erasure' ? [] : job.webhookUids };
}

/** Returns jobs created before `before` whose workflow was not started yet, oldest first. */
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

/** Records the start of a job's workflow; a lost write costs one start, which Temporal refuses: so `w: 1`. */
export async function markJobStarted(store: Store, jobUid: string, at: Date): Promise<void> {
  await store.jobs.updateOne(
    { _id: jobUid, startedAt: null },
    { $set: { startedAt: at } },
    { writeConcern: { w: 1 } },
  );
}

export interface PageMaking {
  page: number;
  now: Date;
  session: ClientSession;
}

export interface TakenPage {
  cursor: string;
  count: number;
  isEnd: boolean;
  /** To be signalled after the transaction. */
  partitions: PartitionKey[];
  /** What it took or cancelled, as it was before; the workflows that wait for its retries are told after it. */
  overtaken?: readonly Overtaken[];
  cancelled?: { count: number; reason: CancelReason };
  /** How long until the next page; by default a second. */
  waitMs?: number;
  progress?: Pick<ReplayJob, 'webhooksDone' | 'webhooks'>;
}

export interface SentAgain {
  event: Pick<EventDocument, '_id' | 'appUid' | 'event' | 'externalTenantId'>;
  webhookUid: string;
  partition: string | null;
  discardCount: number;
}

/**
 * Returns the count of discards that a delivery of a job gets: of its request, so that a discard in between drops what
 * the page would send. A job of an earlier version has none: nothing that was requested after a discard may be dropped.
 */
export function discardCountFor(
  job: Pick<ResendJob | ReplayJob, 'seenDiscards'>,
  { _id, discardCount = 0 }: Pick<WebhookDocument, '_id' | 'discardCount'>,
): number {
  return job.seenDiscards === undefined
    ? discardCount
    : (discardCountOf(job.seenDiscards, _id) ?? 0);
}

export type PageStamp = Pick<DeliveryDocument, 'jobUid' | 'jobPage' | 'requeuedAs' | 'requeuedAt'>;

/** Of one event to several webhooks, or of several events to one: other mixes in one call would requeue further pairs. */
export async function requeueDeliveries(
  store: Store,
  deliveries: readonly SentAgain[],
  { stamp, now, session }: { stamp: PageStamp } & Omit<PageMaking, 'page'>,
): Promise<void> {
  if (deliveries.length === 0) return;
  await store.deliveries.bulkWrite(
    deliveries.map(({ event, webhookUid, partition, discardCount }) => ({
      updateOne: {
        filter: { eventId: event._id, webhookUid, appUid: event.appUid },
        update: {
          $setOnInsert: {
            _id: newId('dlv', now),
            event: event.event,
            externalTenantId: event.externalTenantId,
            attemptCount: 0,
            attempts: [],
            createdAt: now,
          },
          $set: { partition, discardCount },
        },
        upsert: true,
      },
    })),
    { session, ordered: false },
  );
  await store.deliveries.updateMany(
    {
      eventId: { $in: [...new Set(deliveries.map(({ event }) => event._id))] },
      webhookUid: { $in: [...new Set(deliveries.map(({ webhookUid }) => webhookUid))] },
    },
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
