import type { Store } from './connect.ts';

// More than any resource changes between two backups.
const skipped = 1_000_000;
const resourcesPerPage = 10_000;

/** Raises the counters of all resources beyond numbers that receivers may have seen before a restore. */
export async function skipSequences(store: Store): Promise<number> {
  let count = 0;
  for (let after = ''; ;) {
    const ids = await store.sequences
      .find({ _id: { $gt: after } }, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .limit(resourcesPerPage)
      .map(({ _id }) => _id)
      .toArray();
    const last = ids.at(-1);
    if (last === undefined) return count;
    // Excludes partitions, whose numbers have no gaps (ADR 16).
    const range = { $gt: after, $lte: last, $not: /^whk_/ };
    const moved = await store.sequences.updateMany({ _id: range }, { $inc: { last: skipped } });
    count += moved.modifiedCount;
    after = last;
  }
}
