// Numbers in the partitions of an ordered webhook, issued like the transaction of an event issues them.
import type { EventDocument } from '../../lib/model/event.ts';
import {
  type PartitionDocument,
  partitionId,
  type PartitionKey,
  type PartitionNumber,
} from '../../lib/model/partition.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { countInTransaction } from '../../lib/mongo/sequences.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import { openPartitions } from '../../lib/order/partitions.ts';
import type { Installation } from './installation.ts';

/** Issues the next number of its partition to a stored event, and returns it. */
export async function giveNumber(
  { store }: Pick<Installation, 'store'>,
  event: Pick<EventDocument, '_id' | 'appUid' | 'entity' | 'resourceUid'>,
  webhookUid: string,
): Promise<PartitionNumber> {
  const { _id, appUid, entity, resourceUid } = event;
  const partition = { appUid, webhookUid, entity, resourceUid };
  const n = await issueNumber(store, partition);
  await store.events.updateOne({ _id }, { $set: { order: [{ webhookUid, n }] } });
  return { partition, n };
}

/** Issues the next number of a partition. */
export async function issueNumber(store: Store, partition: PartitionKey): Promise<number> {
  return inTransaction(store, async (session) => {
    const [n = 0] = await countInTransaction(store, [partitionId(partition)], session);
    await openPartitions(store, [{ partition, n }], session);
    return n;
  });
}

/** Writes a partition of which that many numbers were issued. */
export async function insertPartition(
  store: Store,
  { issued, ...facts }: PartitionKey & Partial<PartitionDocument> & { issued: number },
): Promise<PartitionDocument> {
  const _id = partitionId(facts);
  const progress = { settled: 0, lease: null, signalAt: null };
  const partition = { _id, ...progress, ...facts };
  await store.sequences.insertOne({ _id, last: issued });
  await store.partitions.insertOne(partition);
  return partition;
}
