import { webhookDeliveryFilters } from '../events/delivery-filter.ts';
import { deliverySchema } from '../events/present-delivery.ts';
import { readDeliveryList, containsUnrecorded } from '../events/read-delivery-list.ts';
import { listHandler } from '../http/list-handler.ts';
import { findWebhook } from './webhook-fields.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

const facts: Operation = {
  id: 'listWebhookDeliveries',
  summary: 'List the deliveries of a webhook',
  description: `The list is ordered from newest to oldest. ${containsUnrecorded}`,
  answers: { 200: pageOf(deliverySchema) },
};

/** Throws `not_found`. */
export const listWebhookDeliveries = operation(
  facts,
  listHandler(webhookDeliveryFilters, async (request, context) => {
    const { appUid, params, page, filters } = request;
    const webhookUid = params['webhookUid'] ?? '';
    await findWebhook(context.store, { _id: webhookUid, appUid });
    return readDeliveryList(context, { appUid, webhookUid, ...filters }, page);
  }),
);
