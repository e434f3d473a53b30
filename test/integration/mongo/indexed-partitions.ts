// Partitions among which the queries of the relay find theirs.
import {
  type PartitionDocument,
  partitionId,
  type PartitionKey,
} from '../../../lib/model/partition.ts';
import type { Installation } from '../../support/installation.ts';

interface Many {
  partition: PartitionKey;
  count: number;
  at: Date;
  /** When others are to be signalled. */
  failedAt: Date;
}

/** Writes idle, waiting, overdue and parked partitions. */
export async function writePartitions(
  { store }: Installation,
  { partition, count, at, failedAt }: Many,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const make = (resourceUid: string, signalAt: Date | null): PartitionDocument => ({
    ...partition,
    _id: partitionId({ ...partition, resourceUid }),
    resourceUid,
    settled: 0,
    lease: null,
    signalAt,
  });
  await store.partitions.insertMany([
    ...numbers.map((n) => make(`idle-${n}`, null)),
    ...numbers.map((n) => make(`waiting-${n}`, failedAt)),
    make('overdue', at),
    { ...make('parked', null), webhookUid: 'whk_forgotten', retry: { isParked: true, dueAt: at } },
  ]);
}
