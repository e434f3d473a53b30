// Which deliveries a list is to give: of a state, of a class of answers, of a time.
import { type StatusClass, statusClasses } from '../../lib/model/attempt.ts';
import { type DeliveryState, deliveryStates } from '../../lib/model/delivery-state.ts';
import { type Filters, oneOf, parseTime } from '../http/query-values.ts';

/** The parameters of a list of deliveries. */
export const deliveryFilters = {
  state: oneOf(deliveryStates),
  /** The class of the last attempt's status. */
  statusClass: oneOf(statusClasses),
  since: parseTime,
  until: parseTime,
};

/** Tells whether a delivery is one of those asked for; `since` is included, `until` is not. */
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
