// An event's turn at an ordered webhook, issued as the transaction of the event issues it.
import type { EventDocument } from '../../lib/model/event.ts';
import type { Turn } from '../../lib/model/partition.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import { issueNumbers } from '../../lib/deliveries/partitions.ts';
import type { Installation } from './installation.ts';

/** Issues the next number of its partition to a stored event and returns the turn. */
export async function giveTurn(
  { store }: Pick<Installation, 'store'>,
  event: Pick<EventDocument, '_id' | 'appUid' | 'entity' | 'resourceUid'>,
  webhookUid: string,
): Promise<Turn> {
  const { _id, appUid, entity, resourceUid } = event;
  const partition = { appUid, webhookUid, entity, resourceUid };
  return inTransaction(store, async (session) => {
    const [n = 0] = await issueNumbers(store, [partition], { now: new Date(), session });
    await store.events.updateOne({ _id }, { $set: { order: [{ webhookUid, n }] } }, { session });
    return { partition, n };
  });
}
