// What time takes away: held deliveries that waited too long, records nobody needs any more; and what
// was asked to be erased.
import { idAt } from '../ids.ts';
import type { Store } from '../store/connect.ts';
import type { TidiedBatch } from '../temporal/messages.ts';
import { eraseStretch } from './erase.ts';
import type { DeliveryPorts } from './ports.ts';
import { removeOldEvents } from './remove-old-events.ts';

/** How long things are kept, in milliseconds. */
export interface Retention {
  /** Events, deliveries with their attempts, resends, replays and erasures. */
  recordsMs: number;
  /** A held delivery; after that it is dropped. */
  heldMs: number;
  /** Rows of the audit log. */
  auditMs: number;
}

// Small enough that a batch takes well under a second and blocks nobody.
const batchMax = 1_000;

/** Does one batch of each kind, of old events those after the uid `after`. Doing it again only goes on. */
export async function tidyUp(
  ports: Pick<DeliveryPorts, 'store' | 'wakeLane' | 'retention'>,
  { now, after }: { now: Date; after: string },
): Promise<TidiedBatch> {
  const { store, retention } = ports;
  const before = new Date(now.getTime() - retention.recordsMs);
  const expired = await expireHeld(store, new Date(now.getTime() - retention.heldMs), now);
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
  const counts = { expired, deliveries, events, redeliveries, erasures, auditRows, erased };
  const isFull = [expired, redeliveries, erasures, auditRows].includes(batchMax);
  return { ...counts, after: old.after, more: isFull || old.more || erasing };
}

/** Drops deliveries that have been held since before `before`. */
async function expireHeld(store: Store, before: Date, now: Date): Promise<number> {
  const held = await store.deliveries
    .find({ state: 'held', updatedAt: { $lt: before } }, { projection: { _id: 1 } })
    .limit(batchMax)
    .toArray();
  if (held.length === 0) return 0;
  const ids = held.map((delivery) => delivery._id);
  await store.deliveries.updateMany(
    // One that was resumed since then is no longer held.
    { _id: { $in: ids }, state: 'held' },
    { $set: { state: 'cancelled', updatedAt: now } },
  );
  return held.length;
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
