import { readDeliveries, type WantedDeliveries } from '../../lib/history/delivery-lists.ts';
import { canBeInFlight, readInFlight } from '../../lib/history/in-flight.ts';
import type { PageRequest } from '../../lib/mongo/paging.ts';
import { inSnapshot } from '../../lib/mongo/snapshot.ts';
import type { ApiContext } from '../context.ts';
import type { ListAnswer } from '../http/list-handler.ts';
import { pendingDelivery } from './pending-delivery.ts';
import { presentDelivery } from './present-delivery.ts';

/** Explains the beginning of such a list, for the contract. */
export const startsWithUnrecorded =
  'The first page begins with deliveries of events of the last minute that are not recorded yet. ' +
  'They have the state `pending` and no attempts, and fill at most half of the page. ' +
  'They are left out if a filter by class, `until` or another state is set.';

/**
 * Reads a page of deliveries. The first page begins with those that are not recorded yet: once they are, they are newer
 * than all others, so that the cursor need not know them.
 */
export async function readDeliveryList(
  { store, clock }: Pick<ApiContext, 'store' | 'clock'>,
  wanted: WantedDeliveries,
  page: PageRequest,
): Promise<ListAnswer> {
  if (page.after !== null || !canBeInFlight(wanted)) {
    const { items, lastUid } = await readDeliveries(store, wanted, page);
    return { data: items.map(presentDelivery), lastUid };
  }
  // In one snapshot; otherwise a delivery recorded meanwhile would be missing or listed twice.
  return inSnapshot(store, async (snapshot) => {
    const reading = { limit: Math.floor(page.limit / 2), now: clock.now(), snapshot };
    const inFlight = await readInFlight(store, wanted, reading);
    const rest = { after: null, limit: page.limit - inFlight.length, snapshot };
    const { items, lastUid } = await readDeliveries(store, wanted, rest);
    const pending = inFlight.map(({ event, webhookUid }) => pendingDelivery(event, webhookUid));
    return { data: [...pending, ...items].map(presentDelivery), lastUid };
  });
}
