// GET …/events/{eventId}/deliveries: where the event went, with every attempt.
import type { DeliveryDocument } from '../../lib/store/deliveries.ts';
import type { EventDocument } from '../../lib/store/events.ts';
import type { ApiContext } from '../context.ts';
import { cursorAfter, readPageQuery } from '../http/page-query.ts';
import type { Handler } from '../http/router.ts';
import { isAskedFor, readDeliveryFilter } from './delivery-filter.ts';
import { findEvent } from './get-event.ts';
import { presentDelivery, presentPendingDelivery } from './present-delivery.ts';

/**
 * Gives a page of the event's deliveries in the order of their webhooks' uids, those asked for. A
 * webhook that was subscribed and not tried yet shows as `pending`: a delivery is written with its
 * first attempt. Throws `not_found`, `invalid_request`.
 */
export const listEventDeliveries: Handler = async (request, context) => {
  const event = await findEvent(request, context);
  const { limit, after } = readPageQuery(request.query);
  const filter = readDeliveryFilter(request.query);
  const known = await readStates(context, event);
  const asked = [...new Set([...event.webhookUids, ...known.keys()])]
    .filter((uid) => after === null || uid > after)
    .filter((uid) => isAskedFor(filter, known.get(uid) ?? pendingSince(event)))
    .sort();
  const webhookUids = asked.slice(0, limit);
  const written = await context.store.deliveries
    .find({ eventId: event._id, webhookUid: { $in: webhookUids } })
    .toArray();
  const deliveries = new Map(written.map((delivery) => [delivery.webhookUid, delivery]));
  const data = webhookUids.map((webhookUid) => {
    const delivery = deliveries.get(webhookUid);
    return delivery ? presentDelivery(delivery) : presentPendingDelivery(event, webhookUid);
  });
  const last = asked.length > limit ? (webhookUids.at(-1) ?? null) : null;
  return { status: 200, body: { data, nextCursor: cursorAfter(last) } };
};

type Standing = Pick<DeliveryDocument, 'webhookUid' | 'state' | 'statusClass' | 'createdAt'>;

/** Reads how all deliveries of an event stand, without their attempts: there are at most 1,000. */
async function readStates(
  { store }: ApiContext,
  event: EventDocument,
): Promise<Map<string, Standing>> {
  const rows = await store.deliveries
    .find<Standing>(
      { eventId: event._id },
      { projection: { webhookUid: 1, state: 1, statusClass: 1, createdAt: 1 } },
    )
    .toArray();
  return new Map(rows.map((row) => [row.webhookUid, row]));
}

function pendingSince({ createdAt }: EventDocument): Omit<Standing, 'webhookUid'> {
  return { state: 'pending', statusClass: null, createdAt };
}
