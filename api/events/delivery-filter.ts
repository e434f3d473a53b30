// Which deliveries a list is to give: of a state, of a class of answers, of a time.
import { deliveryStates, statusClasses } from '../../lib/delivery/outcome.ts';
import type { DeliveryState, StatusClass } from '../../lib/delivery/outcome.ts';
import type { TimeRange } from '../../lib/store/paging.ts';
import { readChoice, readTimeRange } from '../http/query-values.ts';

export interface DeliveryFilter extends TimeRange {
  state: DeliveryState | null;
  /** The class of the last attempt's status. */
  statusClass: StatusClass | null;
}

/** Reads the filters of a list of deliveries. Throws `invalid_request`. */
export function readDeliveryFilter(query: URLSearchParams): DeliveryFilter {
  return {
    state: readChoice(query, 'state', deliveryStates),
    statusClass: readChoice(query, 'statusClass', statusClasses),
    ...readTimeRange(query),
  };
}

/** Tells whether a delivery is one of those asked for; `since` is included, `until` is not. */
export function isAskedFor(
  filter: DeliveryFilter,
  delivery: { state: DeliveryState; statusClass: StatusClass | null; createdAt: Date },
): boolean {
  return (
    (filter.state === null || delivery.state === filter.state) &&
    (filter.statusClass === null || delivery.statusClass === filter.statusClass) &&
    (filter.since === null || delivery.createdAt >= filter.since) &&
    (filter.until === null || delivery.createdAt < filter.until)
  );
}
