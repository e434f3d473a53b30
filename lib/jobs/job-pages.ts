import type { ClientSession } from 'mongodb';
import { factsOnly } from '../events/events.ts';
import { type DeliveryDocument, pairOf } from '../model/delivery.ts';
import type { EventFacts } from '../model/event.ts';
import type { JobDocument, ResendJob } from '../model/job.ts';
import { jobLimits } from '../limits.ts';
import { partitionId, partitionNumberOf } from '../model/partition.ts';
import { findOrProveAbsent } from '../mongo/read-proven.ts';
import { inTransaction, isWriteConflict, within } from '../mongo/transaction.ts';
import type { Store } from '../mongo/connect.ts';
import { discardCountFor, type PageContext, requeueDeliveries, type TakenPage } from './jobs.ts';
import { findKnownWebhooks } from '../webhooks/webhooks.ts';
import type { JobPage, TakeJobPageInput } from '../temporal/messages.ts';
import { retentionJobUid } from '../temporal/names.ts';
import { eraseChunk } from './erasures.ts';
import type { DeliveryPorts } from '../deliveries/ports.ts';
import { findWaitingWorkflows, type TakenDelivery, takenFields } from './taken-by-job.ts';
import { takeReleasePage } from './release-page.ts';
import { takeReplayPage } from './replay-page.ts';
import { takeSyncPage } from './sync-page.ts';
import { instruments } from '../telemetry/instruments.ts';
import { deleteExpired } from './retention.ts';

type JobPorts = Pick<
  DeliveryPorts,
  | 'store'
  | 'clock'
  | 'signalPartition'
  | 'signalTakenByJob'
  | 'retention'
  | 'processingOverdueAfterMs'
>;

const { pageEveryMs } = jobLimits;
/** The workflow asks again, with the next number. */
export const leftForLater: JobPage = { events: [], isLast: false, waitMs: pageEveryMs };

/**
 * Takes a page of a job once. A repeat returns the same deliveries, even of an ended job: nothing else sends them. A
 * page that conflicts with other writes is left for later.
 */
export async function takeJobPage(ports: JobPorts, input: TakeJobPageInput): Promise<JobPage> {
  const { store, clock } = ports;
  const { jobUid } = input;
  const now = clock.now();
  if (jobUid === retentionJobUid) {
    instruments.jobPages.add(1, { kind: 'retention' });
    return deleteExpired(ports, { now, cursor: input.cursor });
  }
  const job = await findJob(store, jobUid);
  if (job === null) return { events: [], isLast: true };
  instruments.jobPages.add(1, { kind: job.kind });
  try {
    return await (job.kind === 'erasure'
      ? eraseChunk(ports, job, { ...input, now })
      : takePage(ports, job, { ...input, now }));
  } catch (error) {
    if (!(error instanceof PageConflict)) throw error;
    return leftForLater;
  }
}

/** Other writers were faster for as long as a page may take. */
class PageConflict extends Error {}

type PagedJob = Exclude<JobDocument, { kind: 'erasure' }>;

async function takePage(
  ports: JobPorts,
  job: PagedJob,
  { page, now }: Omit<PageContext, 'session'>,
): Promise<JobPage> {
  const { store, signalPartition, signalTakenByJob } = ports;
  const { _id: jobUid, kind } = job;
  const untilMs = performance.now() + pageEveryMs;
  const work = async (session: ClientSession) => {
    const running = await beginPage(store, { jobUid, page, session });
    const isTaken = running === null || running.kind === 'erasure';
    const made = isTaken ? null : await makePage(ports, running, { page, now, session });
    if (made !== null) await endPage(store, job, { made, now, session });
    // Read inside the transaction: a later read may miss the page on a new primary, and the page would never be sent.
    return { taken: made, stamped: await findStamped(store, { jobUid, page, session }) };
  };
  const { taken, stamped } = await inTransaction(store, (session) =>
    work(session).catch((error: unknown) => {
      const isToEnd = isWriteConflict(error) && performance.now() > untilMs;
      throw isToEnd ? new PageConflict('other writes conflict', { cause: error }) : error;
    }),
  );
  if (taken?.cancelled !== undefined) {
    const { count, reason } = taken.cancelled;
    instruments.deliveriesCancelled.add(count, { reason });
  }
  await Promise.all((taken?.partitions ?? []).map(signalPartition));
  await signalTakenByJob(await findWaitingWorkflows(store, taken?.takenByJob ?? []));
  const isLast = taken === null ? await hasEnded(ports, { jobUid, page }) : taken.isEnd;
  instruments.jobDeliveries.add(stamped.length, { kind });
  const events = groupByEvent(stamped);
  return { events, isLast, waitMs: taken?.waitMs ?? pageEveryMs };
}

/**
 * Begins a page in its transaction. Returns null if it was already taken (for example by a stalled worker) or the job
 * has ended. Pages that were left for later are skipped, and those that a restored MongoDB does not know.
 */
async function beginPage(
  store: Store,
  { jobUid, page, session }: { jobUid: string } & Omit<PageContext, 'now'>,
): Promise<JobDocument | null> {
  return store.jobs.findOneAndUpdate(
    { _id: jobUid, state: 'running', page: { $lt: page } },
    { $set: { page } },
    { session, returnDocument: 'after' },
  );
}

async function endPage(
  store: Store,
  { _id }: Pick<JobDocument, '_id'>,
  { made, now, session }: { made: TakenPage } & Omit<PageContext, 'page'>,
): Promise<void> {
  const { cursor, count, isEnd, progress } = made;
  const end = isEnd ? ({ state: 'done', finishedAt: now } as const) : {};
  const forgotten = isEnd ? ({ $unset: { erasedSince: '' } } as const) : {};
  const update = { $set: { cursor, ...progress, ...end }, $inc: { count }, ...forgotten };
  await store.jobs.updateOne({ _id }, update, { session });
}

function makePage(ports: JobPorts, job: PagedJob, context: PageContext): Promise<TakenPage> {
  if (job.kind === 'release') return takeReleasePage(ports, job, context);
  if (job.kind === 'replay') return takeReplayPage(ports, job, context);
  return job.kind === 'sync' ? takeSyncPage(ports, job, context) : takeResend(ports, job, context);
}

// Sends immediately, outside any order.
async function takeResend(
  { store }: Pick<DeliveryPorts, 'store'>,
  job: ResendJob,
  { page, now, session }: PageContext,
): Promise<TakenPage> {
  const { _id: jobUid, appUid, eventId, webhookUids, createdAt } = job;
  const end = { cursor: eventId, isEnd: true, partitions: [] };
  const event = await store.events.findOne<EventFacts>(
    { _id: eventId, appUid },
    { projection: factsOnly, session },
  );
  if (event === null || event.erasedAt !== null) return { ...end, count: 0 };
  const known = await findKnownWebhooks(store, { appUid, webhookUids }, session);
  const deliveries = known.map((webhook) => {
    const { _id: webhookUid } = webhook;
    const partitionNumber = partitionNumberOf(event, webhookUid);
    const partition = partitionNumber === null ? null : partitionId(partitionNumber.partition);
    return { event, webhookUid, partition, discardCount: discardCountFor(job, webhook) };
  });
  const origin = { requeuedAs: 'resend', requeuedAt: createdAt, requeuedBy: jobUid } as const;
  const stamp = { jobUid, jobPage: page, ...origin };
  const takenByJob = await store.deliveries
    .find<TakenDelivery>(
      { _id: { $in: webhookUids.map((webhookUid) => pairOf({ eventId, webhookUid })) } },
      { projection: takenFields, session },
    )
    .toArray();
  await requeueDeliveries(store, deliveries, { stamp, now, session });
  return { ...end, count: deliveries.length, takenByJob };
}

async function hasEnded(
  { store }: Pick<DeliveryPorts, 'store'>,
  { jobUid, page }: Pick<TakeJobPageInput, 'jobUid' | 'page'>,
): Promise<boolean> {
  const job = await findJob(store, jobUid);
  return job === null || ((job.state === 'done' || job.state === 'cancelled') && job.page <= page);
}

function findJob(store: Store, jobUid: string): Promise<JobDocument | null> {
  return findOrProveAbsent(store, (session) =>
    store.jobs.findOne({ _id: jobUid }, within(session)),
  );
}

/** Returns the deliveries that a page took and its job still owns, ordered by event. */
export async function findStamped(
  store: Store,
  { jobUid, page, session }: { jobUid: string; page: number; session?: ClientSession },
): Promise<Pick<DeliveryDocument, 'eventId' | 'webhookUid'>[]> {
  return store.deliveries
    .find(
      { jobUid, jobPage: page },
      { projection: { eventId: 1, webhookUid: 1 }, ...within(session) },
    )
    .sort({ _id: 1 })
    .toArray();
}

function groupByEvent(
  taken: readonly { eventId: string; webhookUid: string }[],
): JobPage['events'] {
  const events = new Map<string, string[]>();
  for (const { eventId, webhookUid } of taken) {
    events.set(eventId, [...(events.get(eventId) ?? []), webhookUid]);
  }
  return [...events].map(([eventId, webhookUids]) => ({ eventId, webhookUids }));
}
