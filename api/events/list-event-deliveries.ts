// GET …/events/{eventId}/deliveries: the deliveries of an event, ordered by the uid of the webhook.
import { type DeliveryDocument, pairOf, pairsOf } from '../../lib/model/delivery.ts';
import type { EventFacts } from '../../lib/model/event.ts';
import { takeItems } from '../../lib/mongo/paging.ts';
import type { ApiContext } from '../context.ts';
import { listHandler } from '../http/list-handler.ts';
import { eventDeliveryFilters, passes } from './delivery-filter.ts';
import { findEvent } from './get-event.ts';
import { pendingDelivery } from './pending-delivery.ts';
import { deliverySchema, presentDelivery } from './present-delivery.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

const facts: Operation = {
  id: 'listEventDeliveries',
  summary: 'List the deliveries of an event',
  answers: { 200: pageOf(deliverySchema) },
};

/** A delivery is written with its first attempt. Until then it is shown as `pending`. */
export const listEventDeliveries = operation(
  facts,
  listHandler(eventDeliveryFilters, async (request, context) => {
    const event = await findEvent(request, context);
    const { limit, after } = request.page;
    const known = await readStates(context, event);
    const matching = [...new Set([...event.webhookUids, ...known.keys()])]
      .filter((uid) => after === null || uid > after)
      .filter((uid) => passes(request.filters, known.get(uid) ?? pendingDelivery(event, uid)))
      .sort();
    const page = matching.slice(0, limit);
    const written = context.store.deliveries
      .find({ _id: { $in: page.map((webhookUid) => pairOf({ eventId: event._id, webhookUid })) } })
      .sort({ _id: 1 });
    const { items, isCut } = await takeItems(written, limit);
    const end = isCut ? items.at(-1)?.webhookUid : undefined;
    const webhookUids = end === undefined ? page : page.filter((uid) => uid <= end);
    const deliveries = new Map(items.map((delivery) => [delivery.webhookUid, delivery]));
    const data = webhookUids.map((uid) =>
      presentDelivery(deliveries.get(uid) ?? pendingDelivery(event, uid)),
    );
    const isLast = webhookUids.length === matching.length;
    return { data, lastUid: isLast ? null : (webhookUids.at(-1) ?? null) };
  }),
);

type Standing = Pick<
  DeliveryDocument,
  'webhookUid' | 'state' | 'statusClass' | 'errorClass' | 'createdAt'
>;

// Without the attempts, because there can be 1,000 deliveries.
async function readStates(
  { store }: ApiContext,
  event: EventFacts,
): Promise<Map<string, Standing>> {
  const rows = await store.deliveries
    .find<Standing>(
      { _id: pairsOf([event._id]) },
      { projection: { webhookUid: 1, state: 1, statusClass: 1, errorClass: 1, createdAt: 1 } },
    )
    .toArray();
  return new Map(rows.map((row) => [row.webhookUid, row]));
}
