import { limits } from '../../lib/limits.ts';
import {
  type ErrorClass,
  errorClasses,
  type StatusClass,
  statusClasses,
} from '../../lib/model/attempt.ts';
import { type DeliveryState, deliveryStates } from '../../lib/model/delivery-state.ts';
import { deliveredEventNames } from '../../lib/model/event-name.ts';
import {
  explained,
  type Filters,
  identifierUpTo,
  oneOf,
  parseTime,
  textUpTo,
} from '../http/query-values.ts';

const attemptFilters = {
  state: explained(
    oneOf(deliveryStates),
    'A `pending` delivery waits for its first attempt, an earlier event about its resource, or the rate limit.',
  ),
  statusClass: explained(
    oneOf(statusClasses),
    'The status class of the last response. `none` means that there was no response.',
  ),
  errorClass: explained(
    oneOf(errorClasses),
    'The error class of the last attempt. `status` means a response other than 2xx.',
  ),
};
const webhookUid = textUpTo(limits.filterCharactersMax);
const event = explained(
  oneOf(deliveredEventNames),
  'The name of the event. Tests are `webhook.test`.',
);
const externalTenantId = explained(
  identifierUpTo(limits.tenantCharactersMax),
  'The tenant, compared exactly. Tests have the tenant `test`.',
);
const time = {
  since: explained(parseTime, 'The earliest `createdAt`, in ISO 8601 with an offset.'),
  until: explained(parseTime, 'The end of the range. `createdAt` is before this time.'),
};

/** The filters of an application's deliveries. The classes are those of the last attempt. */
export const deliveryFilters = { ...attemptFilters, webhookUid, event, externalTenantId, ...time };
export const webhookDeliveryFilters = { ...attemptFilters, event, externalTenantId, ...time };
export const eventDeliveryFilters = { ...attemptFilters, webhookUid, ...time };

/** Checks whether a delivery of an event passes the filters. `since` is inclusive, `until` exclusive. */
export function passes(
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
