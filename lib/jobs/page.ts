// The page of a job: one transaction, taken once.
import type { ClientSession } from 'mongodb';
import type { DeliveryPorts } from '../deliveries/ports.ts';
import { jobLimits } from '../limits.ts';
import type { CancelReason } from '../model/cancel-reason.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { ErasureJob, JobDocument, ReplayJob, SyncJob } from '../model/job.ts';
import { keyOfPartition, type PartitionKey } from '../model/partition.ts';
import type { Store } from '../mongo/connect.ts';
import { inTransaction, within } from '../mongo/transaction.ts';
import { isWriteConflict } from '../mongo/write-errors.ts';
import { scheduleSignal } from '../order/partitions.ts';
import { instruments } from '../telemetry/instruments.ts';
import type { JobPage, TakeJobPageInput } from '../temporal/job-messages.ts';
import { retentionJobUid } from '../temporal/names.ts';
import { findJob } from './jobs.ts';
import { findWaitingWorkflows, type TakenDelivery } from './taken-by-job.ts';

export interface PageContext {
  page: number;
  now: Date;
  session: ClientSession;
}

export interface TakenPage {
  isEnd: boolean;
  /** By default that of the page before. */
  cursor?: string;
  /** Added to the count of the job. */
  count?: number;
  progress?:
    | Pick<ReplayJob, 'webhooksDone' | 'webhooks'>
    | Pick<SyncJob, 'counts'>
    | Partial<Pick<ErasureJob, 'pass' | 'passStartedAt' | 'subject'>>;
  /** The time until the next page; by default a second. */
  waitMs?: number;
  /** Partitions to signal after the transaction. */
  partitions?: PartitionKey[];
  /** The deliveries before the job took them; workflows waiting for their retries are signalled afterwards. */
  takenByJob?: readonly TakenDelivery[];
  cancelled?: { count: number; reason: CancelReason };
}

/** Chooses the deliveries of a page and changes them, in the transaction of the page. */
type MakePage<Job> = (store: Store, job: Job, context: PageContext) => Promise<TakenPage>;

export type PagePorts = Pick<DeliveryPorts, 'store' | 'signalPartition' | 'signalTakenByJob'>;

const { pageEveryMs } = jobLimits;
/** The workflow asks again, with the next number. */
const leftForLater: JobPage = { events: [], isLast: false, waitMs: pageEveryMs };

/**
 * Uses up the number of a page, so that a stalled worker can no longer take it: nobody would send its deliveries.
 * Throws if it was taken, or the job has ended: the repeat returns what was taken.
 */
export async function leaveForLater(
  store: Store,
  { jobUid, page }: Pick<TakeJobPageInput, 'jobUid' | 'page'>,
): Promise<JobPage> {
  // It has no document, and passes no deliveries on.
  if (jobUid === retentionJobUid) return leftForLater;
  const unused = { _id: jobUid, state: 'running', page: { $lt: page } } as const;
  const { matchedCount } = await store.jobs.updateOne(unused, { $set: { page } });
  if (matchedCount === 0)
    throw new Error('this page of the job was taken meanwhile, or the job has ended');
  return leftForLater;
}

/**
 * Takes a page once. A repeat returns the same deliveries, even of an ended job: nothing else sends them. A page that
 * conflicts with other writes for as long as a page may take is left for later.
 */
export async function takePage<Job extends JobDocument>(
  ports: PagePorts,
  { _id: jobUid, kind }: Job,
  { page, now, make }: Omit<PageContext, 'session'> & { make: MakePage<Job> },
): Promise<JobPage> {
  const { store, signalPartition, signalTakenByJob } = ports;
  const untilMs = performance.now() + pageEveryMs;
  const work = async (session: ClientSession) => {
    const running = await beginPage<Job>(store, { jobUid, page, session });
    const made = running === null ? null : await make(store, running, { page, now, session });
    if (made !== null) await endPage(store, jobUid, { made, now, session });
    // Read inside the transaction: a later read may miss the page on a new primary, and the page would never be sent.
    return { made, stamped: await findStamped(store, { jobUid, page, session }) };
  };
  const taken = await inTransaction(store, (session) =>
    work(session).catch(async (error: unknown) => {
      if (!isWriteConflict(error) || performance.now() <= untilMs) throw error;
      await session.abortTransaction();
      return null;
    }),
  );
  if (taken === null) return leaveForLater(store, { jobUid, page });
  const { made, stamped } = taken;
  if (made?.cancelled !== undefined) {
    const { count, reason } = made.cancelled;
    instruments.deliveriesCancelled.add(count, { reason });
  }
  await Promise.all((made?.partitions ?? []).map(signalPartition));
  await signalTakenByJob(await findWaitingWorkflows(store, made?.takenByJob ?? []));
  instruments.jobDeliveries.add(stamped.length, { kind });
  const isLast = made === null ? await hasEnded(store, { jobUid, page }) : made.isEnd;
  return { events: groupByEvent(stamped), isLast, waitMs: made?.waitMs ?? pageEveryMs };
}

/**
 * Begins a page in its transaction. Returns null if it was already taken (for example by a stalled worker) or the job
 * has ended. Skips pages that were left for later, and pages that a restored MongoDB does not know.
 */
async function beginPage<Job>(
  store: Store,
  { jobUid, page, session }: { jobUid: string } & Omit<PageContext, 'now'>,
): Promise<Job | null> {
  const begun = await store.jobs.findOneAndUpdate(
    { _id: jobUid, state: 'running', page: { $lt: page } },
    { $set: { page } },
    { session, returnDocument: 'after' },
  );
  return begun as Job | null;
}

async function endPage(
  store: Store,
  jobUid: string,
  { made, now, session }: { made: TakenPage } & Omit<PageContext, 'page'>,
): Promise<void> {
  const { cursor, count = 0, isEnd, progress } = made;
  const moved = cursor === undefined ? {} : { cursor };
  const end = isEnd ? ({ state: 'done', finishedAt: now } as const) : {};
  const forgotten = isEnd ? ({ $unset: { erasedSince: '' } } as const) : {};
  const update = { $set: { ...moved, ...progress, ...end }, $inc: { count }, ...forgotten };
  await store.jobs.updateOne({ _id: jobUid }, update, { session });
}

async function hasEnded(
  store: Store,
  { jobUid, page }: Pick<TakeJobPageInput, 'jobUid' | 'page'>,
): Promise<boolean> {
  const job = await findJob(store, jobUid);
  return job === null || ((job.state === 'done' || job.state === 'cancelled') && job.page <= page);
}

type StampedDelivery = Pick<DeliveryDocument, 'eventId' | 'webhookUid'>;

/** Returns the deliveries that a page took and its job still owns, ordered by event. */
export async function findStamped(
  store: Store,
  { jobUid, page, session }: { jobUid: string; page: number; session?: ClientSession },
): Promise<StampedDelivery[]> {
  return store.deliveries
    .find(
      { jobUid, jobPage: page },
      { projection: { eventId: 1, webhookUid: 1 }, ...within(session) },
    )
    .sort({ _id: 1 })
    .toArray();
}

function groupByEvent(taken: readonly StampedDelivery[]): JobPage['events'] {
  const events = new Map<string, string[]>();
  for (const { eventId, webhookUid } of taken) {
    events.set(eventId, [...(events.get(eventId) ?? []), webhookUid]);
  }
  return [...events].map(([eventId, webhookUids]) => ({ eventId, webhookUids }));
}

/** Returns the partitions to signal after a page. The relay signals them if this process fails to. */
export async function signalLater(
  store: Store,
  partitionIds: Iterable<string>,
  { now, session }: { now: Date; session?: ClientSession },
): Promise<PartitionKey[]> {
  const ids = [...new Set(partitionIds)];
  await scheduleSignal(store, ids, { now, ...within(session) });
  const found = await store.partitions.find({ _id: { $in: ids } }, within(session)).toArray();
  return found.map(keyOfPartition);
}
