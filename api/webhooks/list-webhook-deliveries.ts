// GET …/webhooks/{webhookUid}/deliveries: what was sent to a webhook, newest first.
import type { Filter } from 'mongodb';
import type { DeliveryState } from '../../lib/delivery/outcome.ts';
import { idAt } from '../../lib/ids.ts';
import type { DeliveryDocument } from '../../lib/store/deliveries.ts';
import { readPage } from '../../lib/store/paging.ts';
import { presentDelivery } from '../events/present-delivery.ts';
import { cursorAfter, readPageQuery } from '../http/page-query.ts';
import { readChoice, readTimeQuery } from '../http/query-values.ts';
import type { Handler } from '../http/router.ts';
import { noSuchWebhook } from './webhook-fields.ts';

const states: readonly DeliveryState[] = [
  'pending',
  'delivered',
  'retrying',
  'exhausted',
  'held',
  'cancelled',
  'blocked',
];

/**
 * Gives a page of the webhook's deliveries with their attempts, of a state and of a time (that of
 * the first attempt) if asked. Throws `not_found`, `invalid_request`.
 */
export const listWebhookDeliveries: Handler = async ({ appUid, params, query }, { store }) => {
  const webhookUid = params['webhookUid'] ?? '';
  const request = readPageQuery(query);
  const state = readChoice(query, 'state', states);
  const since = readTimeQuery(query, 'since');
  const until = readTimeQuery(query, 'until');
  if ((await store.webhooks.findOne({ _id: webhookUid, appUid })) === null) throw noSuchWebhook();
  // Uids sort by time, so the index that pages also bounds the time.
  const bounds = [
    ...(since === null ? [] : [{ _id: { $gte: idAt('dlv', since) } }]),
    ...(until === null ? [] : [{ _id: { $lt: idAt('dlv', until) } }]),
  ];
  const filter: Filter<DeliveryDocument> = {
    appUid,
    webhookUid,
    ...(state === null ? {} : { state }),
    ...(bounds.length === 0 ? {} : { $and: bounds }),
  };
  const page = await readPage(store.deliveries, filter, request);
  const data = page.items.map(presentDelivery);
  return { status: 200, body: { data, nextCursor: cursorAfter(page.lastUid) } };
};
