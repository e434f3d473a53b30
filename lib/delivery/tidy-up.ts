// What time takes away: held deliveries that waited too long, records nobody needs any more; and what
// was asked to be erased.
import { idAt } from '../ids.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { Store } from '../store/connect.ts';
import type { TidiedBatch } from '../temporal/messages.ts';
import { eraseStretch } from './erase.ts';
import type { DeliveryPorts } from './ports.ts';
import { removeOldEvents } from './remove-old-events.ts';

// Small enough that a batch takes well under a second and blocks nobody.
const batchMax = 1_000;

/**
 * Does one batch of each kind: of old events those after the uid `after`, of what is held what was held
 * later than `heldAfterMs`. Doing it again only goes on.
 */
export async function tidyUp(
  ports: Pick<DeliveryPorts, 'store' | 'wakeLane' | 'retention'>,
  { now, after, heldAfterMs = 0 }: { now: Date; after: string; heldAfterMs?: number | undefined },
): Promise<TidiedBatch> {
  const { store, retention } = ports;
  const before = new Date(now.getTime() - retention.recordsMs);
  const held = await expireHeld(ports, { now, after: new Date(heldAfterMs) });
  const old = await removeOldEvents(store, { before, after, now });
  const redeliveries = await remove(store.redeliveries, { $lt: idAt('rdl', before) });
  const erasures = await remove(store.erasures, { $lt: idAt('ers', before) });
  // Here and not by an index of MongoDB's (TTL), which would be a sixth to write with each row, and
  // keeps the time that it was made with, whatever the settings say later.
  const unaudited = new Date(now.getTime() - retention.auditMs);
  const auditRows = await remove(store.auditLog, { $lt: idAt('aud', unaudited) });
  // Its own workflow does an erasure; here is done what is due all the same, should that one be lost.
  const { erased, more: erasing } = await eraseStretch(ports, now);
  const { deliveries, events } = old;
  const { expired } = held;
  const counts = { expired, deliveries, events, redeliveries, erasures, auditRows, erased };
  const isFull = [redeliveries, erasures, auditRows].includes(batchMax);
  const more = isFull || held.more || old.more || erasing;
  return { ...counts, after: old.after, heldAfterMs: held.after.getTime(), more };
}

/**
 * Looks at the next of what has been held for too long, and drops what is held by webhooks that are paused
 * or gone: at an active one a release hands it on, 20 a second, however long that takes. What lies there
 * because its release was ended by hand has the end that records have.
 */
async function expireHeld(
  { store, retention }: Pick<DeliveryPorts, 'store' | 'retention'>,
  { now, after }: { now: Date; after: Date },
): Promise<{ expired: number; after: Date; more: boolean }> {
  const { heldMs, recordsMs } = retention;
  const before = new Date(now.getTime() - heldMs);
  const found = await store.deliveries
    .find({ state: 'held', updatedAt: { $gt: after, $lt: before } })
    .project<Pick<DeliveryDocument, 'webhookUid' | 'updatedAt'>>({ webhookUid: 1, updatedAt: 1 })
    .sort({ updatedAt: 1 })
    .limit(batchMax)
    .toArray();
  const last = found.at(-1)?.updatedAt;
  if (last === undefined) return { expired: 0, after, more: false };
  const webhookUids = [...new Set(found.map((delivery) => delivery.webhookUid))];
  const active = await store.webhooks.distinct('_id', { _id: { $in: webhookUids }, active: true });
  const { modifiedCount } = await store.deliveries.updateMany(
    {
      state: 'held',
      // One that was sent and held again since then is younger.
      updatedAt: { $gt: after, $lte: last },
      $or: [
        { webhookUid: { $in: webhookUids.filter((uid) => !active.includes(uid)) } },
        { updatedAt: { $lt: new Date(now.getTime() - Math.max(heldMs, recordsMs)) } },
      ],
    },
    { $set: { state: 'cancelled', updatedAt: now } },
  );
  return { expired: modifiedCount, after: last, more: found.length === batchMax };
}

interface Removable {
  find: Store['erasures']['find'];
  deleteMany: Store['erasures']['deleteMany'];
}

/** Removes a batch of what has a uid in a range: uids sort by time. */
async function remove(
  collection: Store['redeliveries' | 'erasures' | 'auditLog'],
  uid: { $lt: string },
): Promise<number> {
  const target = collection as unknown as Removable;
  const old = await target
    .find({ _id: uid }, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .limit(batchMax)
    .toArray();
  if (old.length === 0) return 0;
  await target.deleteMany({ _id: { $in: old.map((document) => document._id) } });
  return old.length;
}
