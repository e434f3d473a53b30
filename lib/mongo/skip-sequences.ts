import type { Store } from './connect.ts';

// More than a resource changes between two backups.
const skipped = 1_000_000;
const resourcesAtOnce = 10_000;

/** Moves the number of every resource's next change beyond those that receivers may have seen before a restore. */
export async function skipSequences(store: Store): Promise<number> {
  let count = 0;
  for (let after = ''; ;) {
    const ids = await store.sequences
      .find({ _id: { $gt: after } }, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(resourcesAtOnce)
      .map(({ _id }) => _id)
      .toArray();
    const last = ids.at(-1);
    if (last === undefined) return count;
    // Not those of partitions, which have no holes (ADR 16).
    const range = { $gt: after, $lte: last, $not: /^whk_/ };
    const moved = await store.sequences.updateMany({ _id: range }, { $inc: { last: skipped } });
    count += moved.modifiedCount;
    after = last;
  }
}
