// After a restore to an earlier moment, counts must continue above the numbers that others have seen since.
import type { Collection, Document } from 'mongodb';
import { secondMs } from '../platform/duration.ts';
import type { Store } from './connect.ts';
import { floorId, forgetFloor } from './sequence-floor.ts';

// Nothing is counted once a second for years, so the seconds since then are above every number that was given, also
// above those after an earlier restore of the same backup.
const secondsFromMs = Date.UTC(2026, 0, 1);
// For counts that were raised just before.
const raisedByMin = 10_000;
const documentsPerPage = 10_000;

/** Raises a count of all documents, or of those that match `only`. Returns their number. */
export async function raiseCounts<T extends Document & { _id: string }>(
  documents: Collection<T>,
  { field, only = {}, now }: { field: keyof T & string; only?: Document; now: Date },
): Promise<number> {
  const collection = documents as unknown as Collection<{ _id: string }>;
  let count = 0;
  for (let after = ''; ;) {
    const ids = await collection
      .find({ _id: { $gt: after } }, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(documentsPerPage)
      .map(({ _id }) => _id)
      .toArray();
    const last = ids.at(-1);
    if (last === undefined) return count;
    const page = { $and: [{ _id: { $gt: after, $lte: last } }, only] };
    count += (await collection.updateMany(page, [raise(field, now)])).modifiedCount;
    after = last;
  }
}

/** Raises the floor of new counters. Running processes know it after `floorKeptMs`. */
export async function raiseFloor(store: Store, now: Date): Promise<void> {
  await store.sequences.updateOne({ _id: floorId }, [raise('last', now)], { upsert: true });
  forgetFloor(store);
}

/** Raises the counters of all resources, except for numbers in partitions, which have no gaps (ADR 16). */
export async function raiseSequences({ sequences }: Store, now: Date): Promise<number> {
  const only = { _id: { $not: /^whk_/, $ne: floorId } };
  return raiseCounts(sequences, { field: 'last', only, now });
}

function raise(field: string, now: Date): Document {
  const seconds = Math.floor((now.getTime() - secondsFromMs) / secondMs);
  const raised = { $add: [{ $ifNull: [`$${field}`, 0] }, raisedByMin] };
  return { $set: { [field]: { $max: [raised, seconds] } } };
}
