// Takes payloads away on request, a stretch of events at a time.
import { minuteMs } from '../duration.ts';
import { idAt } from '../ids.ts';
import {
  countErased,
  erasePayloads,
  findErasable,
  findRunningErasure,
  noteErasureProgress,
} from '../store/erasures.ts';
import type { ErasedStretch } from '../temporal/messages.ts';
import { leaveLanesOf } from './discard.ts';
import type { DeliveryPorts } from './ports.ts';

// Bodies are searched for texts, by the database and those it finds once more here, so a stretch is kept short.
const eventsPerStretch = 2_000;

/**
 * How long after an erasure's first look the second begins. What was under way then is written by then,
 * or never: an event whose uid is older than the erasure (10 s for a transaction, 60 s on a server that
 * sets no limit of its own; 50 s for each of a report's two writes, repeated once by the driver), or
 * what a receiver answered to an attempt that had read the payload before (30 s).
 */
export const lookAgainAfterMs = 5 * minuteMs;

/**
 * Looks at the next events of an erasure, or without a uid of the one whose turn it is, and takes the
 * payloads that it is about away. Only events recorded before the request are; doing a stretch again,
 * or in two processes at once, changes nothing. All events are looked at twice, for the sake of what
 * was being written during the first look.
 */
export async function eraseStretch(
  ports: Pick<DeliveryPorts, 'store' | 'wakeLane'>,
  now: Date,
  uid?: string,
): Promise<ErasedStretch> {
  const { store } = ports;
  const erasure = await findRunningErasure(store, uid);
  if (erasure === null || erasure.subject === null) return { erased: 0, more: false };
  const { _id: erasureUid, appUid, subject, after, againAt, createdAt } = erasure;
  if (againAt !== null && againAt > now) {
    return { erased: 0, more: false, waitMs: againAt.getTime() - now.getTime() };
  }
  const range = { $gt: after, $lt: idAt('evt', createdAt) };
  const stretch = await store.events
    .find({ appUid, _id: range }, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .limit(eventsPerStretch)
    .map((event) => event._id)
    .toArray();
  const last = stretch.at(-1) ?? after;
  const lookedAt = { appUid, _id: { $gt: after, $lte: last } };
  const found = await findErasable(store, lookedAt, { subject, erasureUid });
  await erasePayloads(store, found, { erasureUid, now });
  let areOut = false;
  while (!areOut) areOut = await leaveLanesOf(ports, { eventIds: found });
  // Counted from what is there, so that a stretch that was killed before this and is repeated counts it.
  const since = againAt ?? new Date(0);
  const erased = await countErased(store, found, { erasureUid, since });
  const isEnd = stretch.length < eventsPerStretch;
  const next = isEnd && againAt === null ? lookAgain(now) : { after: last, againAt };
  const isDone = isEnd && againAt !== null;
  await noteErasureProgress(store, erasure, { ...next, erasedCount: erased, isDone, now });
  return { erased, more: true };
}

function lookAgain(now: Date): { after: string; againAt: Date } {
  return { after: '', againAt: new Date(now.getTime() + lookAgainAfterMs) };
}
