// GET …/events/{eventId}/deliveries: where the event went, with every attempt.
import type { DeliveryDocument } from '../../lib/store/deliveries.ts';
import { cursorAfter, readPageQuery } from '../http/page-query.ts';
import type { Handler } from '../http/router.ts';
import { findEvent } from './get-event.ts';
import { presentDelivery, presentPendingDelivery } from './present-delivery.ts';

/**
 * Gives a page of the event's deliveries in the order of their webhooks' uids. A webhook that was
 * subscribed and not tried yet shows as `pending`: a delivery is written with its first attempt.
 */
export const listEventDeliveries: Handler = async (request, context) => {
  const event = await findEvent(request, context);
  const { limit, after } = readPageQuery(request.query);
  const remaining = event.webhookUids.filter((uid) => after === null || uid > after).sort();
  const webhookUids = remaining.slice(0, limit);
  const written = await context.store.deliveries
    .find({ eventId: event._id, webhookUid: { $in: webhookUids }, appUid: request.appUid })
    .toArray();
  const byWebhook = new Map(
    written.map((row): [string, DeliveryDocument] => [row.webhookUid, row]),
  );
  const data = webhookUids.map((webhookUid) => {
    const delivery = byWebhook.get(webhookUid);
    return delivery ? presentDelivery(delivery) : presentPendingDelivery(event, webhookUid);
  });
  const last = remaining.length > limit ? (webhookUids.at(-1) ?? null) : null;
  return { status: 200, body: { data, nextCursor: cursorAfter(last) } };
};
