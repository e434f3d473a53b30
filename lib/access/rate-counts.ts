// How often something was done in a window of time, by all processes together.
import type { Store } from '../mongo/connect.ts';

/** How often something was done since the counts were last added up. */
export interface RateIncrement {
  id: string;
  by: number;
  expiresAt: Date;
}

/**
 * Adds counts and gives the sums of `ids`, of all processes; those that nobody counted are left out.
 * A failover may lose the last moments, so one server's acknowledgement is enough.
 */
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
