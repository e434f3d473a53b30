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

interface WebhookDeliveries extends TimeRange {
  appUid: string;
  webhookUid: string;
  /** Null asks for all, also of status classes. */
  state: DeliveryState | null;
  statusClass: StatusClass | null;
}

/** Newest first. */
export async function readWebhookDeliveries(
  store: Store,
  wanted: WebhookDeliveries,
  request: PageRequest,
): Promise<Page<DeliveryDocument>> {
  return readPage<DeliveryDocument>(store.deliveries, webhookDeliveriesFilter(wanted), request);
}

/** With one of state and status class asked for, names all of the other: so MongoDB merges ranges of the index unsorted. */
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
