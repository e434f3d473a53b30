import { limits } from '../../lib/limits.ts';
import {
  type ErrorClass,
  errorClasses,
  type StatusClass,
  statusClasses,
} from '../../lib/model/attempt.ts';
import { type DeliveryState, deliveryStates } from '../../lib/model/delivery-state.ts';
import { deliveredEventNames } from '../../lib/model/event-name.ts';
import { type Filters, oneOf, parseTime, textUpTo } from '../http/query-values.ts';

const attemptFilters = {
  state: oneOf(deliveryStates),
  statusClass: oneOf(statusClasses),
  errorClass: oneOf(errorClasses),
};
const webhookUid = textUpTo(limits.filterCharactersMax);
const event = oneOf(deliveredEventNames);
const externalTenantId = textUpTo(limits.tenantCharactersMax);
const time = { since: parseTime, until: parseTime };

/** The filters of the deliveries of an application; the classes are those of the last attempt. */
export const deliveryFilters = { ...attemptFilters, webhookUid, event, externalTenantId, ...time };
export const webhookDeliveryFilters = { ...attemptFilters, event, externalTenantId, ...time };
export const eventDeliveryFilters = { ...attemptFilters, webhookUid, ...time };

/** Reports whether a delivery of an event passes the filters; `since` is included, `until` is not. */
export function isAskedFor(
  filter: Filters<typeof eventDeliveryFilters>,
  delivery: {
    webhookUid: string;
    state: DeliveryState;
    statusClass: StatusClass | null;
    errorClass: ErrorClass | null;
    createdAt: Date;
  },
): boolean {
  const isSame = (name: 'webhookUid' | 'state' | 'statusClass' | 'errorClass'): boolean =>
    filter[name] === null || delivery[name] === filter[name];
  return (
    isSame('webhookUid') &&
    isSame('state') &&
    isSame('statusClass') &&
    isSame('errorClass') &&
    (filter.since === null || delivery.createdAt >= filter.since) &&
    (filter.until === null || delivery.createdAt < filter.until)
  );
}
