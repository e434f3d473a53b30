import type { ClientSession, Filter } from 'mongodb';
import type { CancelReason } from '../model/cancel-reason.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { Store } from '../mongo/connect.ts';
import { within } from '../mongo/transaction.ts';

/** Cancels the matching deliveries and returns their number. */
export async function cancelDeliveries(
  store: Store,
  filter: Filter<DeliveryDocument>,
  { reason, now, session }: { reason: CancelReason; now: Date; session?: ClientSession },
): Promise<number> {
  const end = { state: 'cancelled', cancelReason: reason, nextAttemptAt: null } as const;
  const update = { $set: { ...end, updatedAt: now } };
  return (await store.deliveries.updateMany(filter, update, within(session))).modifiedCount;
}
