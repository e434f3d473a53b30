// GET …/webhooks/{webhookUid}/deliveries: the deliveries of a webhook, newest first.
import { readWebhookDeliveries } from '../../lib/deliveries/delivery-lists.ts';
import { deliveryFilters } from '../events/delivery-filter.ts';
import { presentDelivery } from '../events/present-delivery.ts';
import { listHandler } from '../http/list-handler.ts';
import { findWebhook } from './webhook-fields.ts';

/** `since` and `until` mean the first attempt. Throws `not_found`. */
export const listWebhookDeliveries = listHandler(deliveryFilters, async (request, { store }) => {
  const { appUid, params, page, filters } = request;
  const webhookUid = params['webhookUid'] ?? '';
  await findWebhook(store, { _id: webhookUid, appUid });
  const wanted = { appUid, webhookUid, ...filters };
  const { items, lastUid } = await readWebhookDeliveries(store, wanted, page);
  return { data: items.map(presentDelivery), lastUid };
});
