import type { ClientSession } from 'mongodb';
import type { Store } from '../mongo/connect.ts';

const removedMax = 1_000;

/** Removes a batch of a webhook's partitions; returns whether none is left. */
export async function removePartitions(
  store: Store,
  webhookUid: string,
  session: ClientSession,
): Promise<boolean> {
  // In ASCII `0` follows `/`, which separates the webhook's uid in a partition ID.
  const found = await store.partitions
    .find({ _id: { $gt: `${webhookUid}/`, $lt: `${webhookUid}0` } }, { session })
    .limit(removedMax)
    .map(({ _id }) => _id)
    .toArray();
  await store.partitions.deleteMany({ _id: { $in: found } }, { session });
  await store.sequences.deleteMany({ _id: { $in: found } }, { session });
  return found.length < removedMax;
}
