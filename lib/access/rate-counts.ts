import type { Store } from '../mongo/connect.ts';

interface RateIncrement {
  id: string;
  by: number;
  expiresAt: Date;
}

/** Returns the sums of `ids` over all processes after the increments. A failover may lose the last moments (`w: 1`). */
export async function addCounts(
  store: Store,
  increments: readonly RateIncrement[],
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (increments.length > 0) {
    await store.rateCounts.bulkWrite(
      increments.map(({ id, by, expiresAt }) => ({
        updateOne: {
          filter: { _id: id },
          update: { $inc: { count: by }, $setOnInsert: { expiresAt } },
          upsert: true,
        },
      })),
      { ordered: false, writeConcern: { w: 1 } },
    );
  }
  const found = await store.rateCounts
    .find({ _id: { $in: [...ids] } }, { readConcern: { level: 'local' } })
    .toArray();
  return new Map(found.map(({ _id, count }) => [_id, count]));
}
