import { readDeliveries } from '../../lib/history/delivery-lists.ts';
import { webhookDeliveryFilters } from '../events/delivery-filter.ts';
import { deliverySchema, presentDelivery } from '../events/present-delivery.ts';
import { listHandler } from '../http/list-handler.ts';
import { findWebhook } from './webhook-fields.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

const facts: Operation = {
  id: 'listWebhookDeliveries',
  summary: 'List the deliveries of a webhook',
  description: 'The list is ordered from newest to oldest.',
  answers: { 200: pageOf(deliverySchema) },
};

/** `since` and `until` refer to the first attempt. Throws `not_found`. */
export const listWebhookDeliveries = operation(
  facts,
  listHandler(webhookDeliveryFilters, async (request, { store }) => {
    const { appUid, params, page, filters } = request;
    const webhookUid = params['webhookUid'] ?? '';
    await findWebhook(store, { _id: webhookUid, appUid });
    const { items, lastUid } = await readDeliveries(
      store,
      { appUid, webhookUid, ...filters },
      page,
    );
    return { data: items.map(presentDelivery), lastUid };
  }),
);
