// Lists of deliveries, each read along an index that has the order and every filter in it.
import type { Filter } from 'mongodb';
import { type StatusClass, statusClasses } from '../model/attempt.ts';
import { type DeliveryState, deliveryStates } from '../model/delivery-state.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { Store } from '../mongo/connect.ts';
import {
  madeWithin,
  type Page,
  type PageRequest,
  readPage,
  type TimeRange,
} from '../mongo/paging.ts';

/** Which of a webhook's deliveries; null asks for all. */
export interface WebhookDeliveries extends TimeRange {
  appUid: string;
  webhookUid: string;
  state: DeliveryState | null;
  statusClass: StatusClass | null;
}

/** Gives a page of a webhook's deliveries, newest first. */
export async function readWebhookDeliveries(
  store: Store,
  wanted: WebhookDeliveries,
  request: PageRequest,
): Promise<Page<DeliveryDocument>> {
  return readPage<DeliveryDocument>(store.deliveries, webhookDeliveriesFilter(wanted), request);
}

/**
 * Gives the filter of the list. Where only one of state and status class is asked for, all values of the other are named: the database then
 * merges as many sorted stretches of the index instead of sorting what it read.
 */
export function webhookDeliveriesFilter(wanted: WebhookDeliveries): Filter<DeliveryDocument> {
  const { appUid, webhookUid, state, statusClass } = wanted;
  const byOutcome = state !== null || statusClass !== null;
  return {
    appUid,
    webhookUid,
    ...(byOutcome ? { state: state ?? { $in: [...deliveryStates] } } : {}),
    ...(byOutcome ? { statusClass: statusClass ?? { $in: [null, ...statusClasses] } } : {}),
    ...madeWithin('dlv', wanted),
  };
}
