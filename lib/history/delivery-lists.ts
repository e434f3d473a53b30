import {
  type ErrorClass,
  errorClasses,
  type StatusClass,
  statusClasses,
} from '../model/attempt.ts';
import { type DeliveryState, deliveryStates } from '../model/delivery-state.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import { type DeliveredEventName, deliveredEventNames } from '../model/event-name.ts';
import type { Store } from '../mongo/connect.ts';
import type { SnapshotRead } from '../mongo/snapshot.ts';
import {
  madeWithin,
  type Page,
  type PageRequest,
  readPage,
  type Search,
  type TimeRange,
} from '../mongo/paging.ts';

/** The filters of a list of deliveries; null means no filter. */
export interface WantedDeliveries extends TimeRange {
  appUid: string;
  webhookUid: string | null;
  externalTenantId: string | null;
  event: DeliveredEventName | null;
  state: DeliveryState | null;
  statusClass: StatusClass | null;
  errorClass: ErrorClass | null;
}

/** Newest first. */
export async function readDeliveries(
  store: Store,
  wanted: WantedDeliveries,
  request: PageRequest & { snapshot?: SnapshotRead },
): Promise<Page<DeliveryDocument>> {
  const search = searchOf(wanted);
  if (search === null) return { items: [], lastUid: null };
  const { filter, hint } = search;
  return readPage<DeliveryDocument>(store.deliveries, filter, { ...request, hint });
}

// A delivery with a 2xx is delivered; every other attempted delivery failed.
const failedStates = deliveryStates.filter((state) => state !== 'delivered');
const failedStatusClasses = statusClasses.filter((statusClass) => statusClass !== '2xx');

/**
 * Returns the query for deliveries, or null if it can match none. It lists all values of unfiltered fields, so that
 * MongoDB merges ranges of the index in the order of uids, sorts nothing and reads no other delivery.
 */
export function searchOf(wanted: WantedDeliveries): Search<DeliveryDocument> | null {
  const { appUid, webhookUid, externalTenantId } = wanted;
  const { kind, named } = isFailureSearch(wanted) ? failuresOf(wanted) : statesOf(wanted);
  const lists = Object.entries<readonly string[]>(named);
  if (lists.some(([, values]) => values.length === 0)) return null;
  const filter = {
    appUid,
    ...(webhookUid === null ? {} : { webhookUid }),
    ...(externalTenantId === null ? {} : { externalTenantId }),
    ...Object.fromEntries(lists.map(([field, values]) => [field, { $in: [...values] }])),
    ...madeWithin('evt', wanted),
  };
  return { filter, hint: `${nameScope(wanted)}${kind}` };
}

function nameScope({ webhookUid, externalTenantId }: WantedDeliveries): string {
  if (webhookUid === null) return externalTenantId === null ? 'app' : 'tenant';
  return externalTenantId === null ? 'webhook' : 'tenantWebhook';
}

function isFailureSearch({ statusClass, errorClass }: WantedDeliveries): boolean {
  return errorClass !== null || (statusClass !== null && statusClass !== '2xx');
}

function statesOf({ state, statusClass, event }: WantedDeliveries) {
  const states: readonly DeliveryState[] = statusClass === '2xx' ? ['delivered'] : deliveryStates;
  const named = { state: narrow(states, state), event: narrow(deliveredEventNames, event) };
  return { kind: 'State', named };
}

function failuresOf({ state, statusClass, errorClass, event }: WantedDeliveries) {
  const failure = {
    errorClass: narrow(errorClasses, errorClass).filter((each) => canBe(each, statusClass)),
    statusClass: narrow(failedStatusClasses, statusClass).filter((each) => canBe(errorClass, each)),
    state: narrow(failedStates, state),
  };
  if (event === null) return { kind: 'Failure', named: failure };
  return { kind: 'EventFailure', named: { event: [event], ...failure } };
}

// A failed attempt has either a status or another error class.
function canBe(errorClass: ErrorClass | null, statusClass: StatusClass | null): boolean {
  if (errorClass === null || statusClass === null) return true;
  return (errorClass === 'status') === (statusClass !== 'none');
}

function narrow<Value>(values: readonly Value[], wanted: Value | null): readonly Value[] {
  return values.filter((each) => wanted === null || each === wanted);
}
