import { listHandler } from '../http/list-handler.ts';
import { deliveryFilters } from './delivery-filter.ts';
import { deliverySchema } from './present-delivery.ts';
import { readDeliveryList, containsUnrecorded } from './read-delivery-list.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

const facts: Operation = {
  id: 'listDeliveries',
  summary: 'List deliveries',
  description: `The list covers all webhooks. It is ordered from newest to oldest. ${containsUnrecorded}`,
  answers: { 200: pageOf(deliverySchema) },
};

/** Includes those of deleted webhooks. */
export const listDeliveries = operation(
  facts,
  listHandler(deliveryFilters, ({ appUid, page, filters }, context) =>
    readDeliveryList(context, { appUid, ...filters }, page),
  ),
);
