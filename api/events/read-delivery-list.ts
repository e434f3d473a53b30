import { readDeliveries, type WantedDeliveries } from '../../lib/history/delivery-lists.ts';
import { canBeInFlight, readInFlight } from '../../lib/history/in-flight.ts';
import type { PageRequest } from '../../lib/mongo/paging.ts';
import { inSnapshot } from '../../lib/mongo/snapshot.ts';
import type { ApiContext } from '../context.ts';
import type { ListAnswer } from '../http/list-handler.ts';
import { pendingDelivery } from './pending-delivery.ts';
import { presentDelivery } from './present-delivery.ts';

/** Explains unrecorded deliveries in such a list, for the contract. */
export const containsUnrecorded =
  'Deliveries of events of the last minute that are not recorded yet have the state `pending` and no attempts. ' +
  'They are left out if a filter by class or another state is set.';

/** Reads a page of deliveries, newest event first, with those that are not recorded yet in their places. */
export async function readDeliveryList(
  { store, clock }: Pick<ApiContext, 'store' | 'clock'>,
  wanted: WantedDeliveries,
  page: PageRequest,
): Promise<ListAnswer> {
  if (!canBeInFlight(wanted)) {
    const { items, lastUid } = await readDeliveries(store, wanted, page);
    return { data: items.map(presentDelivery), lastUid };
  }
  // In one snapshot; otherwise a delivery recorded meanwhile would be missing or listed twice.
  return inSnapshot(store, async (snapshot) => {
    const reading = { ...page, limit: page.limit + 1, now: clock.now(), snapshot };
    const inFlight = await readInFlight(store, wanted, reading);
    const { items, lastUid } = await readDeliveries(store, wanted, { ...page, snapshot });
    const pending = inFlight
      // Later ones come after recorded deliveries that are not in this page.
      .filter(({ _id }) => lastUid === null || _id > lastUid)
      .map(({ _id, event, webhookUid }) => ({ _id, ...pendingDelivery(event, webhookUid) }));
    const rows = [...pending, ...items].sort((a, b) => (a._id < b._id ? 1 : -1));
    const shown = rows.slice(0, page.limit);
    const hasMore = lastUid !== null || shown.length < rows.length;
    return {
      data: shown.map(presentDelivery),
      lastUid: hasMore ? (shown.at(-1)?._id ?? null) : null,
    };
  });
}
