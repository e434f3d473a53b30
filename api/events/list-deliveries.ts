import { readDeliveries } from '../../lib/history/delivery-lists.ts';
import { listHandler } from '../http/list-handler.ts';
import { deliveryFilters } from './delivery-filter.ts';
import { deliverySchema, presentDelivery } from './present-delivery.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

const facts: Operation = {
  id: 'listDeliveries',
  summary: 'List deliveries',
  description: 'The list covers all webhooks. It is ordered from newest to oldest.',
  answers: { 200: pageOf(deliverySchema) },
};

/** Includes those of deleted webhooks. `since` and `until` refer to the first attempt. */
export const listDeliveries = operation(
  facts,
  listHandler(deliveryFilters, async ({ appUid, page, filters }, { store }) => {
    const { items, lastUid } = await readDeliveries(store, { appUid, ...filters }, page);
    return { data: items.map(presentDelivery), lastUid };
  }),
);
