// Takes payloads away on request, a stretch of events at a time.
import { idAt } from '../ids.ts';
import type { Store } from '../store/connect.ts';
import {
  erasePayloads,
  erasedBy,
  findRunningErasure,
  noteErasureProgress,
} from '../store/erasures.ts';

// Bodies are read by the database to find texts in them, so a stretch is kept short.
const eventsPerStretch = 2_000;

/** What a stretch did; `more` is true when an erasure may have more to do. */
export interface ErasedStretch {
  erased: number;
  more: boolean;
}

/**
 * Looks at the next events of the erasure that has waited longest and takes the payloads that it is
 * about away. Only events recorded before the request are; doing a stretch again changes nothing.
 */
export async function eraseStretch(store: Store, now: Date): Promise<ErasedStretch> {
  const erasure = await findRunningErasure(store);
  if (erasure === null || erasure.subject === null) return { erased: 0, more: false };
  const { appUid, subject, after, createdAt } = erasure;
  const range = { $gt: after, $lt: idAt('evt', createdAt) };
  const stretch = await store.events
    .find({ appUid, _id: range }, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .limit(eventsPerStretch)
    .map((event) => event._id)
    .toArray();
  const last = stretch.at(-1) ?? after;
  const found = await store.events
    .find(
      { appUid, _id: { $gt: after, $lte: last }, ...erasedBy(subject) },
      { projection: { _id: 1 } },
    )
    .map((event) => event._id)
    .toArray();
  await erasePayloads(store, found, now);
  const isDone = stretch.length < eventsPerStretch;
  await noteErasureProgress(store, erasure, {
    after: last,
    erasedCount: found.length,
    isDone,
    now,
  });
  return { erased: found.length, more: true };
}
