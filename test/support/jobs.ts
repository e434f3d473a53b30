// Jobs as the API records them, and their pages one after another, without Temporal.
import { takeJobPage } from '../../lib/jobs/take-job-page.ts';
import type { DeliveryPorts } from '../../lib/deliveries/ports.ts';
import { seenDiscards } from '../../lib/model/discards.ts';
import { entities } from '../../lib/model/event-name.ts';
import { noCounts, type ReplayJob, type SyncJob } from '../../lib/model/job.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { newJob, newRelease } from '../../lib/jobs/jobs.ts';
import type { JobPage } from '../../lib/temporal/job-messages.ts';

/** Makes a webhook active like its `PATCH` does, and returns the uid of its release. */
export async function resume(
  { webhooks, jobs }: Store,
  { appUid, _id: webhookUid }: { appUid: string; _id: string },
  { now = new Date(), discards = false } = {},
): Promise<string> {
  const release = newRelease({ appUid, webhookUid }, now);
  const discard = discards ? { discardBefore: now } : {};
  const resumed = { active: true, releaseUid: release._id, ...discard };
  const count = { $inc: { discardCount: discards ? 1 : 0 } };
  await webhooks.updateOne({ _id: webhookUid }, { $set: resumed, ...count });
  await jobs.insertOne(release);
  return release._id;
}

/** Records a resend of an event, and returns its uid. */
export async function requestResend(
  { jobs, webhooks }: Store,
  { appUid, ...what }: { appUid: string; eventId: string; webhookUids: string[] },
  now = new Date(),
): Promise<string> {
  const found = await webhooks.find({ _id: { $in: what.webhookUids } }).toArray();
  const seen = { seenDiscards: seenDiscards(found) };
  const job = { ...newJob(appUid, now), kind: 'resend' as const, ...what, ...seen };
  await jobs.insertOne(job);
  return job._id;
}

type ReplayFields = Pick<ReplayJob, 'appUid' | 'webhookUid' | 'createdAt'> & Partial<ReplayJob>;

/** Returns a replay at `createdAt`, by default of that millisecond and with 20 events per second. */
export function newReplayJob(fields: ReplayFields): ReplayJob {
  const { appUid, webhookUid, createdAt } = fields;
  return {
    ...newJob(appUid, createdAt),
    kind: 'replay',
    webhookUids: webhookUid === null ? [] : [webhookUid],
    seenDiscards: [],
    webhooksDone: 0,
    webhooks: [],
    since: createdAt,
    until: new Date(createdAt.getTime() + 1),
    events: null,
    states: [],
    cancelReasons: ['expired', 'abandoned'],
    externalTenantId: null,
    perSecond: 20,
    ...fields,
  };
}

/** Returns a sync of everything, with 20 resources per second. */
export function newSyncJob(fields: Pick<SyncJob, 'appUid' | 'webhookUid' | 'createdAt'>): SyncJob {
  return {
    ...newJob(fields.appUid, fields.createdAt),
    kind: 'sync',
    seenDiscards: [],
    entities: [...entities],
    externalTenantIds: null,
    counts: noCounts,
    perSecond: 20,
    ...fields,
  };
}

/** Records a replay, and returns its uid. */
export async function requestReplay({ jobs }: Store, fields: ReplayFields): Promise<string> {
  const replay = newReplayJob(fields);
  await jobs.insertOne(replay);
  return replay._id;
}

/** Takes the pages of a job from the first to the last, with a clock that moves on by the wait after each. */
export async function takeAllPages(
  ports: Parameters<typeof takeJobPage>[0],
  jobUid: string,
): Promise<JobPage[]> {
  const pages: JobPage[] = [];
  let at = ports.clock.now();
  for (let page = 1; pages.at(-1)?.isLast !== true; page += 1) {
    const taken = await takeJobPage(portsAt(ports, at), { jobUid, page });
    at = new Date(at.getTime() + (taken.waitMs ?? 0));
    pages.push(taken);
  }
  return pages;
}

/** Returns the ports with a clock that stands still at a time. */
export function portsAt<Ports extends Pick<DeliveryPorts, 'clock'>>(ports: Ports, at: Date): Ports {
  return { ...ports, clock: { now: () => at } };
}

export const eventIdsOf = ({ events }: JobPage): string[] => events.map(({ eventId }) => eventId);
