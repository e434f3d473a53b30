import { type StatusClass, statusClasses } from '../../lib/model/attempt.ts';
import { type DeliveryState, deliveryStates } from '../../lib/model/delivery-state.ts';
import { type Filters, oneOf, parseTime } from '../http/query-values.ts';

/** The filters of a list of deliveries; the status class is that of the last attempt. */
export const deliveryFilters = {
  state: oneOf(deliveryStates),
  statusClass: oneOf(statusClasses),
  since: parseTime,
  until: parseTime,
};

/** Reports whether a delivery passes the filters; `since` is included, `until` is not. */
export function isAskedFor(
  filter: Filters<typeof deliveryFilters>,
  delivery: { state: DeliveryState; statusClass: StatusClass | null; createdAt: Date },
): boolean {
  return (
    (filter.state === null || delivery.state === filter.state) &&
    (filter.statusClass === null || delivery.statusClass === filter.statusClass) &&
    (filter.since === null || delivery.createdAt >= filter.since) &&
    (filter.until === null || delivery.createdAt < filter.until)
  );
}
