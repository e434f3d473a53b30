// The pages of a job: each is taken once, and taken again after a crash gives the same deliveries.
import type { JobDocument, ResendJob } from '../model/job.ts';
import { partitionId, turnOf } from '../model/partition.ts';
import { inTransaction } from '../mongo/connect.ts';
import { beginPage, endPage, findStamped, requeueDeliveries } from './jobs.ts';
import { findKnownWebhooks } from '../webhooks/webhooks.ts';
import { type JobPage, jobPageEveryMs, type TakeJobPageInput } from '../temporal/messages.ts';
import { retentionJobUid } from '../temporal/names.ts';
import { eraseStretch } from './erase.ts';
import type { PageMaking, TakenPage } from './page-making.ts';
import type { DeliveryPorts } from './ports.ts';
import { takeReleasePage } from './release-page.ts';
import { takeReplayPage } from './replay-page.ts';
import { deleteExpired } from './retention.ts';

type JobPorts = Pick<DeliveryPorts, 'store' | 'clock' | 'signalPartition' | 'retention'>;

/**
 * Takes a page of a job and returns the deliveries that its workflow is to make; they belong to the job from
 * then on. A page that was taken before is returned again, whatever has become of the job since:
 * nobody else sends what it took.
 */
export async function takeJobPage(ports: JobPorts, input: TakeJobPageInput): Promise<JobPage> {
  const { store, clock, signalPartition } = ports;
  const { jobUid, page } = input;
  const now = clock.now();
  if (jobUid === retentionJobUid) return deleteExpired(ports, { now, cursor: input.cursor });
  const job = await store.jobs.findOne({ _id: jobUid });
  if (job === null) return { events: [], isLast: true };
  if (job.kind === 'erasure') return eraseStretch(ports, job, { page, now });
  const taken = await inTransaction(store, async (session) => {
    const begun = await beginPage(store, { jobUid, page, session });
    if (begun === null || begun.kind === 'erasure') return null;
    const made = await makePage(ports, begun, { page, now, session });
    await endPage(store, jobUid, { ...made, now, session });
    return made;
  });
  await Promise.all((taken?.partitions ?? []).map(signalPartition));
  const isLast = taken === null ? await hasEnded(ports, { jobUid, page }) : taken.isEnd;
  const events = groupByEvent(await findStamped(store, { jobUid, page }));
  return { events, isLast, waitMs: taken?.waitMs ?? jobPageEveryMs };
}

function makePage(
  ports: JobPorts,
  job: Exclude<JobDocument, { kind: 'erasure' }>,
  making: PageMaking,
): Promise<TakenPage> {
  if (job.kind === 'release') return takeReleasePage(ports, job, making);
  return job.kind === 'replay'
    ? takeReplayPage(ports, job, making)
    : takeResend(ports, job, making);
}

/** A resend goes at once, past whatever order its webhooks want. */
async function takeResend(
  { store }: Pick<DeliveryPorts, 'store'>,
  { _id: jobUid, appUid, eventId, webhookUids, createdAt }: ResendJob,
  { page, now, session }: PageMaking,
): Promise<TakenPage> {
  const end = { cursor: eventId, isEnd: true, partitions: [] };
  const event = await store.events.findOne({ _id: eventId, appUid }, { session });
  if (event === null) return { ...end, count: 0 };
  // What a webhook got that was deleted since the resend was asked for stays as it is.
  const known = await findKnownWebhooks(store, { appUid, webhookUids }, session);
  const deliveries = known.map(({ _id: webhookUid }) => {
    const turn = turnOf(event, webhookUid);
    const partition = turn === null ? null : partitionId(turn.partition);
    return { appUid, eventId, webhookUid, event: event.event, partition };
  });
  const asked = { requeuedAs: 'resend', requeuedAt: createdAt } as const;
  const stamp = { jobUid, jobPage: page, ...asked };
  await requeueDeliveries(store, deliveries, { stamp, now, session });
  return { ...end, count: deliveries.length };
}

async function hasEnded(
  { store }: Pick<DeliveryPorts, 'store'>,
  { jobUid, page }: Pick<TakeJobPageInput, 'jobUid' | 'page'>,
): Promise<boolean> {
  const job = await store.jobs.findOne({ _id: jobUid });
  return job === null || (job.state !== 'running' && job.page <= page);
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
