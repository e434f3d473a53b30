// GET …/webhooks/{webhookUid}/deliveries: what was sent to a webhook, newest first.
import { readWebhookDeliveries } from '../../lib/store/delivery-lists.ts';
import { readDeliveryFilter } from '../events/delivery-filter.ts';
import { presentDelivery } from '../events/present-delivery.ts';
import { cursorAfter, readPageQuery } from '../http/page-query.ts';
import type { Handler } from '../http/router.ts';
import { noSuchWebhook } from './webhook-fields.ts';

/**
 * Gives a page of the webhook's deliveries with their attempts; if asked, of a state, of a class of
 * answers and of a time (that of the first attempt). Throws `not_found`, `invalid_request`.
 */
export const listWebhookDeliveries: Handler = async ({ appUid, params, query }, { store }) => {
  const webhookUid = params['webhookUid'] ?? '';
  const request = readPageQuery(query);
  const filter = readDeliveryFilter(query);
  if ((await store.webhooks.findOne({ _id: webhookUid, appUid })) === null) throw noSuchWebhook();
  const page = await readWebhookDeliveries(store, { appUid, webhookUid, ...filter }, request);
  const data = page.items.map(presentDelivery);
  return { status: 200, body: { data, nextCursor: cursorAfter(page.lastUid) } };
};
