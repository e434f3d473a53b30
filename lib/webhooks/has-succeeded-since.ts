import { limits } from '../limits.ts';
import type { DeliveryKey } from '../model/delivery.ts';
import type { Store } from '../mongo/connect.ts';
import { idAt } from '../platform/ids.ts';

/**
 * Checks whether a delivery has succeeded since. An attempt in flight when the clock started did not see it, so its
 * success did not stop it. Its event is then about as old as a first attempt may take; any other success stops the clock.
 */
export async function hasSucceededSince(
  store: Store,
  { appUid, webhookUid }: Pick<DeliveryKey, 'appUid' | 'webhookUid'>,
  since: Date,
): Promise<boolean> {
  const eventsFrom = new Date(since.getTime() - limits.inFlightMsMax);
  const found = await store.deliveries.findOne(
    {
      appUid,
      webhookUid,
      state: 'delivered',
      _id: { $gte: idAt('evt', eventsFrom) },
      updatedAt: { $gte: since },
    },
    { projection: { _id: 1 }, hint: 'webhookState' },
  );
  return found !== null;
}
