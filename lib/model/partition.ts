import type { EventDocument } from './event.ts';
import type { CountedResource } from './sequence.ts';

export interface PartitionKey extends CountedResource {
  webhookUid: string;
}

/**
 * Numbers have no gaps; the holder of the lease sends number after number (ADR 41). The last number issued is in `sequences`,
 * where no attempt meets the transactions that issue them. Kept as long as the webhook.
 */
export interface PartitionDocument extends PartitionKey {
  _id: string;
  settled: number;
  /** Who sends the next numbers, and until when nobody else may. */
  lease: { by: string; until: Date } | null;
  /** When the relay signals its workflow unless somebody moves it before; null: never. */
  signalAt: Date | null;
}

export interface Turn {
  partition: PartitionKey;
  n: number;
}

export function partitionId({
  webhookUid,
  entity,
  resourceUid,
}: Omit<PartitionKey, 'appUid'>): string {
  return `${webhookUid}/${entity}/${resourceUid}`;
}

/** Returns null where the webhook is not ordered. */
export function turnOf(
  event: CountedResource & Pick<EventDocument, 'order'>,
  webhookUid: string,
): Turn | null {
  const place = event.order.find((each) => each.webhookUid === webhookUid);
  if (place === undefined) return null;
  const { appUid, entity, resourceUid } = event;
  return { partition: { appUid, webhookUid, entity, resourceUid }, n: place.n };
}

export function keyOfPartition(partition: PartitionDocument): PartitionKey {
  const { appUid, webhookUid, entity, resourceUid } = partition;
  return { appUid, webhookUid, entity, resourceUid };
}

/** The relay signals a partition that nobody moved for so long after a release, or after its lease ran out. */
export const idleMs = 5_000;
// The same after a retry was due, for which the workflow has a timer of its own.
const overdueMs = 60_000;

/** Returns the `signalAt` of a partition that waits for a signal since then. */
export function soonAfter(time: Date): Date {
  return new Date(time.getTime() + idleMs);
}

/** Returns the `signalAt` of a partition that was to be moved then. */
export function overdueAfter(time: Date): Date {
  return new Date(time.getTime() + overdueMs);
}
