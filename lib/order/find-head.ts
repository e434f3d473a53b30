import { partitionId, type PartitionNumber } from '../model/partition.ts';
import type { Store } from '../mongo/connect.ts';
import { findNumbered } from './partitions.ts';

/** Returns the event whose number the partition waits for, if it comes before this number. */
export async function findHead(
  store: Store,
  { partition, n }: PartitionNumber,
): Promise<string | null> {
  const found = await store.partitions.findOne({ _id: partitionId(partition) });
  const from = (found?.settled ?? n) + 1;
  if (from >= n) return null;
  const [head] = await findNumbered(store, partition, { from, countMax: 1 });
  return head?.eventId ?? null;
}
