// GET …/webhooks/{webhookUid}/deliveries: what was sent to a webhook, newest first.
import { readWebhookDeliveries } from '../../lib/deliveries/delivery-lists.ts';
import { deliveryFilters } from '../events/delivery-filter.ts';
import { presentDelivery } from '../events/present-delivery.ts';
import { listHandler } from '../http/list-handler.ts';
import { noSuchWebhook } from './webhook-fields.ts';

/**
 * Gives a page of the webhook's deliveries with their attempts; if asked, of a state, of a class of
 * answers and of a time (that of the first attempt). Throws `not_found`.
 */
export const listWebhookDeliveries = listHandler(deliveryFilters, async (request, { store }) => {
  const { appUid, params, page, filters } = request;
  const webhookUid = params['webhookUid'] ?? '';
  if ((await store.webhooks.findOne({ _id: webhookUid, appUid })) === null) throw noSuchWebhook();
  const wanted = { appUid, webhookUid, ...filters };
  const { items, lastUid } = await readWebhookDeliveries(store, wanted, page);
  return { data: items.map(presentDelivery), lastUid };
});
