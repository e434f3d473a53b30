// Makes the events of changes, with their numbers.
import type { ClientSession } from 'mongodb';
import { inSlices } from '../../lib/concurrency/in-slices.ts';
import type { EarlyAttempts } from '../../lib/deliveries/early-attempts.ts';
import { openPartitions } from '../../lib/order/partitions.ts';
import { entityOf, type EventName, isOperationsEvent } from '../../lib/model/event-name.ts';
import type { ResourceData, Revocation } from '../../lib/model/event-payload.ts';
import {
  type EventDocument,
  newEvent,
  recipientFields,
  setSequence,
} from '../../lib/model/event.ts';
import { partitionId, type PartitionNumber } from '../../lib/model/partition.ts';
import type { TraceContext } from '../../lib/model/trace-context.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { countInTransaction, countReports, sequenceId } from '../../lib/mongo/sequences.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import { newId } from '../../lib/platform/ids.ts';
import { filterCheck, isSubscribed } from '../../lib/webhooks/subscriptions.ts';
import { renderBody } from './payload-size.ts';

/** `data` is the resource after the change, or before its deletion. */
type ChangedData = { event: EventName; data: ResourceData } | Revocation;

export type Change = ChangedData & {
  /** Set by a caller that makes several changes. */
  eventId?: string;
  /** As written by its owner, if the resource is stored elsewhere. */
  dataText?: string;
};

/** A change with the webhooks that get its event. */
export type AddressedChange = Change & Pick<Recorded, 'subscribers'>;

/** The changes of one call. */
interface ChangeSet {
  appUid: string;
  changes: readonly AddressedChange[];
  trace?: TraceContext;
}

export interface Recorded {
  event: EventDocument;
  subscribers: readonly WebhookDocument[];
}

export interface EventPorts {
  store: Store;
  clock: Clock;
  earlyAttempts: Pick<EarlyAttempts, 'claim'> | null;
}

/**
 * Makes the events of several calls, one array per call. Events for an ordered webhook need a transaction. Throws
 * `payload_too_large`.
 */
export async function makeEvents(
  ports: EventPorts,
  sets: readonly ChangeSet[],
  { now, session }: { now: Date; session: ClientSession | undefined },
): Promise<Recorded[][]> {
  // Synchronously, so that IDs sort in the order of the changes.
  const named = sets.map((set) => ({
    ...set,
    changes: set.changes.map((change) => ({
      ...change,
      eventId: change.eventId ?? newId('evt', now),
    })),
  }));
  // Before the numbering, because a rejection after it would leave a gap.
  const recorded: Recorded[][] = [];
  for await (const set of inSlices(named)) {
    recorded.push(set.changes.map((change) => makeEvent(ports, change, { ...set, now })));
  }
  await number(ports, recorded.flat(), session);
  return recorded;
}

/** Finds the webhooks that get the event of a change. Filters are costly, so this runs once per change. */
export function address(change: Change, webhooks: readonly WebhookDocument[]): AddressedChange {
  const { event, data } = change;
  const facts = { event, resourceUid: data.uid, externalTenantId: tenantOf(data) };
  const matches = filterCheck(data);
  const subscribers = webhooks.filter(
    (webhook) => isSubscribed(webhook, facts) && matches(webhook.filter),
  );
  return { ...change, subscribers };
}

// A revocation belongs to no tenant.
function tenantOf(data: Change['data']): string {
  return 'externalTenantId' in data ? data.externalTenantId : '';
}

/** Checks whether an ordered webhook gets the event of a change. */
export function isForOrdered({ subscribers }: AddressedChange): boolean {
  return subscribers.some(isInOrder);
}

// Writes the numbers into the events: among the changes of the resource, and in their partitions.
async function number(
  { store }: EventPorts,
  recorded: readonly Recorded[],
  session: ClientSession | undefined,
): Promise<void> {
  // A revocation has its own count.
  const events = recorded
    .map(({ event }) => event)
    .filter(({ event }) => !isOperationsEvent(event));
  const partitionNumbers = session === undefined ? [] : recorded.flatMap(partitionNumbersOf);
  const ids = [
    ...events.map(sequenceId),
    ...partitionNumbers.map(({ partition }) => partitionId(partition)),
  ];
  const numbers = await (session === undefined
    ? countReports(store, ids)
    : countInTransaction(store, ids, session));
  for (const [index, event] of events.entries()) setSequence(event, numbers[index] ?? 0);
  for (const [index, partitionNumber] of partitionNumbers.entries()) {
    partitionNumber.n = numbers[events.length + index] ?? 0;
    partitionNumber.event.order.push({
      webhookUid: partitionNumber.partition.webhookUid,
      n: partitionNumber.n,
    });
  }
  if (session !== undefined) await openPartitions(store, partitionNumbers, session);
}

function partitionNumbersOf({
  event,
  subscribers,
}: Recorded): (PartitionNumber & Pick<Recorded, 'event'>)[] {
  const { appUid, entity, resourceUid } = event;
  return subscribers.filter(isInOrder).map(({ _id: webhookUid }) => ({
    event,
    partition: { appUid, webhookUid, entity, resourceUid },
    n: 0,
  }));
}

function isInOrder({ ordering }: WebhookDocument): boolean {
  return ordering === 'resource';
}

function makeEvent(
  { earlyAttempts }: EventPorts,
  { event, data, dataText, subscribers, eventId }: AddressedChange & { eventId: string },
  { appUid, now, trace }: ChangeSet & { now: Date },
): Recorded {
  const document = newEvent(
    {
      _id: eventId,
      appUid,
      event,
      entity: entityOf(event),
      resourceUid: data.uid,
      externalTenantId: tenantOf(data),
      body: renderBody({ eventId, event, timestamp: now, appUid, data: { ...data }, dataText }),
      ...recipientFields(subscribers),
      firstAttempt: earlyAttempts?.claim() ?? null,
      ...(trace === undefined ? {} : { trace }),
    },
    now,
  );
  return { event: document, subscribers };
}
