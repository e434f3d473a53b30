import type { Filter } from 'mongodb';
import { minuteMs } from '../../platform/duration.ts';
import { idAt } from '../../platform/ids.ts';
import { processLog } from '../../platform/logger.ts';
import type { DeliveryDocument } from '../../model/delivery.ts';
import type { WebhookDocument } from '../../model/webhook.ts';
import type { Store } from '../../mongo/connect.ts';
import { readProven, inTransaction } from '../../mongo/transaction.ts';
import { cancelDeliveries } from '../../deliveries/cancel-deliveries.ts';
import { newRelease } from '../jobs.ts';
import { scheduleSignal } from '../../order/partitions.ts';
import type { JobPage } from '../../temporal/job-messages.ts';
import type { DeliveryPorts } from '../../deliveries/ports.ts';
import { removeOldEvents } from './remove-old-events.ts';
import { instruments } from '../../telemetry/instruments.ts';
import { reportExpiringKeys } from '../../webhooks/expiring-keys.ts';
import { reportOverdueFiles } from '../../webhooks/overdue-files.ts';

// Small enough that a batch takes well under a second and blocks nothing else.
const batchMax = 1_000;

export type RetentionPorts = Pick<
  DeliveryPorts,
  'store' | 'retention' | 'processingOverdueAfterMs'
>;

/** Deletes or cancels one batch of each kind of expired data; `cursor` holds the position of each search. */
export async function deleteExpired(
  ports: RetentionPorts,
  { now, cursor }: { now: Date; cursor?: string | undefined },
): Promise<JobPage> {
  const { store, retention } = ports;
  const beganAtMs = performance.now();
  const [after = '', heldAfterMs = '0', webhookAfter = '', appAfter = ''] =
    cursor?.split('/') ?? [];
  const before = new Date(now.getTime() - retention.recordsMs);
  const held = await expireHeld(ports, { now, after: new Date(Number(heldAfterMs)) });
  const old = await removeOldEvents(store, { before, after, now });
  // A slow replay may run longer than the retention, and must still be visible when it ends.
  const ended = { _id: { $lt: idAt('job', before) }, finishedAt: { $lt: before } };
  const jobs = await remove(store.jobs, ended);
  // No TTL index: it would be a sixth index to write per row, and would keep the setting it was created with.
  const unaudited = new Date(now.getTime() - retention.auditMs);
  const auditRows = await remove(store.auditLog, { _id: { $lt: idAt('aud', unaudited) } });
  const stranded = await releaseStranded(store, { now, after: webhookAfter });
  const keys = await reportExpiringKeys(store, now);
  const files = await reportOverdueFiles(ports, { now, after: appAfter });
  const deleted = { deliveries: old.deliveries, events: old.events, jobs, auditRows };
  for (const [what, count] of Object.entries(deleted)) {
    instruments.retentionDeleted.add(count, { what });
  }
  instruments.deliveriesCancelled.add(held.expired, { reason: 'expired' });
  const counts = {
    expired: held.expired,
    ...deleted,
    releases: stranded.count,
    expiringKeys: keys.count,
    overdueFiles: files.count,
  };
  const isSome = Object.values(counts).some((count) => count > 0);
  if (isSome) processLog.info(counts, 'retention.deleted');
  const isFull = [jobs, auditRows].includes(batchMax);
  const isLast = !(isFull || held.more || old.more || keys.more || files.more || stranded.more);
  const next = [old.after, held.after.getTime(), stranded.after, files.after].join('/');
  // So that it takes no more than half of what MongoDB does.
  const waitMs = Math.round(performance.now() - beganAtMs);
  return { events: [], isLast, waitMs, cursor: next };
}

type Releasable = Pick<WebhookDocument, '_id' | 'appUid' | 'releaseUid'>;

// Longer than any attempt that read the webhook before its resume.
const strandedAfterMs = 10 * minuteMs;

// An active webhook without a running release may hold deliveries that a stalled process recorded afterwards.
async function releaseStranded(
  store: Store,
  { now, after }: { now: Date; after: string },
): Promise<{ count: number; after: string; more: boolean }> {
  const updatedAt = { $lt: new Date(now.getTime() - strandedAfterMs) };
  const webhooks = await store.webhooks
    .find({ _id: { $gt: after }, active: true })
    .project<Releasable>({ appUid: 1, releaseUid: 1 })
    .sort({ _id: 1 })
    .limit(batchMax)
    .toArray();
  let count = 0;
  for (const webhook of webhooks) {
    const { _id: webhookUid, appUid, releaseUid } = webhook;
    const held = { appUid, webhookUid, state: 'held', updatedAt } as const;
    // Without the hint, MongoDB may read all held deliveries of paused webhooks.
    const options = { hint: 'webhookState', projection: { _id: 1 } };
    if ((await store.deliveries.findOne(held, options)) === null) continue;
    const running = { _id: releaseUid ?? '', state: 'running' } as const;
    if ((await store.jobs.findOne(running)) !== null) continue;
    count += await releaseAgain(store, webhook, now);
  }
  return { count, after: webhooks.at(-1)?._id ?? after, more: webhooks.length === batchMax };
}

async function releaseAgain(
  store: Store,
  { _id: webhookUid, appUid, releaseUid }: Releasable,
  now: Date,
): Promise<number> {
  const job = newRelease({ appUid, webhookUid }, now);
  return inTransaction(store, async (session) => {
    const { modifiedCount } = await store.webhooks.updateOne(
      { _id: webhookUid, active: true, releaseUid },
      { $set: { releaseUid: job._id } },
      { session },
    );
    if (modifiedCount > 0) await store.jobs.insertOne(job, { session });
    return modifiedCount;
  });
}

// Cancels deliveries held too long by paused or deleted webhooks. For an active webhook a release sends them, 20 per
// second, however long that takes; if the release was terminated, the retention of records applies.
async function expireHeld(
  { store, retention }: Pick<DeliveryPorts, 'store' | 'retention'>,
  { now, after }: { now: Date; after: Date },
): Promise<{ expired: number; after: Date; more: boolean }> {
  const { heldMs, recordsMs } = retention;
  const before = new Date(now.getTime() - heldMs);
  const found = await store.deliveries
    .find<Pick<DeliveryDocument, '_id' | 'webhookUid' | 'updatedAt' | 'partition'>>(
      { state: 'held', updatedAt: { $gt: after, $lt: before } },
      { projection: { webhookUid: 1, updatedAt: 1, partition: 1 }, hint: 'heldSince' },
    )
    .sort({ updatedAt: 1 })
    .limit(batchMax)
    .toArray();
  const last = found.at(-1)?.updatedAt;
  if (last === undefined) return { expired: 0, after, more: false };
  const webhookUids = [...new Set(found.map((delivery) => delivery.webhookUid))];
  const active = await readProven(store, (session) =>
    store.webhooks.distinct('_id', { _id: { $in: webhookUids }, active: true }, { session }),
  );
  // Nothing else wakes a partition whose head was held.
  const partitions = found.flatMap(({ partition }) => partition ?? []);
  await scheduleSignal(store, [...new Set(partitions)], { now });
  const tooOld: Filter<DeliveryDocument> = {
    _id: { $in: found.map(({ _id }) => _id) },
    state: 'held',
    // A delivery that was sent and held again since is newer.
    updatedAt: { $lte: last },
    $or: [
      { webhookUid: { $in: webhookUids.filter((uid) => !active.includes(uid)) } },
      { updatedAt: { $lt: new Date(now.getTime() - Math.max(heldMs, recordsMs)) } },
    ],
  };
  const expired = await cancelDeliveries(store, tooOld, { reason: 'expired', now });
  const more = found.length === batchMax;
  // Deliveries with the same time as the last one may lie beyond the batch.
  const next = more && expired > 0 ? new Date(last.getTime() - 1) : last;
  return { expired, after: next, more };
}

async function remove(
  collection: Store['jobs' | 'auditLog'],
  expired: { _id: { $lt: string }; finishedAt?: { $lt: Date } },
): Promise<number> {
  const target = collection as unknown as Store['jobs'];
  const old = await target
    .find(expired, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .limit(batchMax)
    .toArray();
  if (old.length === 0) return 0;
  await target.deleteMany({ _id: { $in: old.map((document) => document._id) } });
  return old.length;
}
