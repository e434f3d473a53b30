// Counts the open work of the whole installation; each query reads a bounded number of index entries.
import type { DeliveryDocument } from '../model/delivery.ts';
import { openStates } from '../model/delivery-state.ts';
import { deliveredEventNames } from '../model/event-name.ts';
import type { EventDocument } from '../model/event.ts';
import { type JobDocument, jobKinds } from '../model/job.ts';
import type { Store } from '../mongo/connect.ts';
import { dayMs } from '../platform/duration.ts';
import { timeOfId } from '../platform/ids.ts';
import { jobLimits } from '../limits.ts';
import type { OpenState } from './backlog.ts';
import { countOverdue } from './overdue-deliveries.ts';

const deliveriesCountedMax = jobLimits.countedDeliveriesMax;
const othersCountedMax = 1_000;
const expiringMs = 7 * dayMs;

export interface Waiting {
  count: number;
  oldestAt: Date | null;
}

export interface InstallationBacklog {
  deliveries: Record<OpenState, Waiting>;
  /** Deliveries that wait for longer than they should, although their receiver is well. */
  overdue: number;
  undispatched: Waiting;
  jobs: Record<JobDocument['kind'], Waiting>;
  expiring: { apiKeys: number; clientCertificates: number };
}

export async function readInstallationBacklog(
  store: Store,
  now: Date,
): Promise<InstallationBacklog> {
  const [deliveries, overdue, undispatched, jobs, expiring] = await Promise.all([
    Promise.all(openStates.map(async (state) => [state, await readOpen(store, state)] as const)),
    countOverdue(store, now),
    readUndispatched(store),
    Promise.all(jobKinds.map(async (kind) => [kind, await readJobs(store, kind)] as const)),
    countExpiring(store, now),
  ]);
  return {
    deliveries: Object.fromEntries(deliveries) as InstallationBacklog['deliveries'],
    overdue,
    undispatched,
    jobs: Object.fromEntries(jobs) as InstallationBacklog['jobs'],
    expiring,
  };
}

async function readOpen({ deliveries }: Store, state: OpenState): Promise<Waiting> {
  const hint = 'open';
  const [count, oldest] = await Promise.all([
    deliveries.countDocuments({ state }, { limit: deliveriesCountedMax, hint }),
    deliveries
      // Deliveries of jobs are left out, because they keep their original id.
      .find({ state, jobUid: null }, { hint })
      .project<Pick<DeliveryDocument, '_id'>>({ _id: 1 })
      .sort({ _id: 1 })
      .limit(1)
      .next(),
  ]);
  return { count, oldestAt: oldest === null ? null : timeOfId(oldest._id) };
}

// Workflow IDs end with the time of their event or batch, so the index lists the oldest of each prefix first.
async function readUndispatched({ events }: Store): Promise<Waiting> {
  const hint = 'toDispatch';
  const oldestOf = (prefix: string | null): Promise<EventDocument | null> =>
    events
      .find(
        {
          dispatchedAt: null,
          workflowId: prefix === null ? null : { $gt: `${prefix}/`, $lt: `${prefix}0` },
        },
        { hint, projection: { createdAt: 1 } },
      )
      .sort({ workflowId: 1, createdAt: 1 })
      .limit(1)
      .next();
  const [count, ...oldest] = await Promise.all([
    events.countDocuments({ dispatchedAt: null }, { limit: othersCountedMax, hint }),
    ...[null, 'batch', ...deliveredEventNames].map(oldestOf),
  ]);
  const times = oldest.flatMap((event) => event?.createdAt.getTime() ?? []);
  return { count, oldestAt: times.length === 0 ? null : new Date(Math.min(...times)) };
}

async function readJobs({ jobs }: Store, kind: JobDocument['kind']): Promise<Waiting> {
  const running = { kind, state: 'running' } as const;
  const found = await jobs
    .find(running, { hint: 'running' })
    .project<Pick<JobDocument, '_id'>>({ _id: 1 })
    .sort({ _id: 1 })
    .limit(othersCountedMax)
    .toArray();
  const [oldest] = found;
  return { count: found.length, oldestAt: oldest === undefined ? null : timeOfId(oldest._id) };
}

async function countExpiring(
  { apiKeys, webhooks }: Store,
  now: Date,
): Promise<InstallationBacklog['expiring']> {
  const before = new Date(now.getTime() + expiringMs);
  const limit = othersCountedMax;
  const [keys, certificates] = await Promise.all([
    apiKeys.countDocuments(
      { expiresAt: { $gt: now, $lte: before }, revokedAt: null },
      { limit, hint: 'expiry' },
    ),
    webhooks
      .find({ 'tls.notAfter': { $lte: before } }, { hint: 'certificateExpiry' })
      .project({ _id: 0, 'tls.notAfter': 1 })
      .limit(limit)
      .toArray(),
  ]);
  return { apiKeys: keys, clientCertificates: certificates.length };
}
