import type { EventDocument } from './event.ts';
import type { CountedResource } from './sequence.ts';

export interface PartitionKey extends CountedResource {
  webhookUid: string;
}

/**
 * Numbers have no gaps; the holder of the lease sends them one by one (ADR 41). The last issued number is in
 * `sequences`, so that attempts do not conflict with the transactions that issue numbers. Kept as long as the webhook.
 */
export interface PartitionDocument extends PartitionKey {
  _id: string;
  settled: number;
  /** The process that sends the next numbers, and the time until which nobody else may. */
  lease: { by: string; until: Date } | null;
  /** When the relay signals its workflow unless it is woken before; null: never. */
  signalAt: Date | null;
  /** Absent unless its head waits for a retry. */
  retry?: PartitionRetry;
}

/** At most some partitions of a webhook retry their heads; the others are parked, without a workflow (ADR 48). */
export interface PartitionRetry {
  dueAt: Date;
  isParked: boolean;
}

export interface PartitionNumber {
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

/** Returns null if the webhook is not ordered. */
export function partitionNumberOf(
  event: CountedResource & Pick<EventDocument, 'order'>,
  webhookUid: string,
): PartitionNumber | null {
  const entry = event.order.find((each) => each.webhookUid === webhookUid);
  if (entry === undefined) return null;
  const { appUid, entity, resourceUid } = event;
  return { partition: { appUid, webhookUid, entity, resourceUid }, n: entry.n };
}

export function keyOfPartition(partition: PartitionDocument): PartitionKey {
  const { appUid, webhookUid, entity, resourceUid } = partition;
  return { appUid, webhookUid, entity, resourceUid };
}

/** The relay signals a partition that was not woken for this long after its lease was released or expired. */
export const idleMs = 5_000;
// The same after a due retry, for which the workflow has its own timer.
const overdueMs = 60_000;

/** Returns the `signalAt` of a partition that needs a signal since `time`. */
export function soonAfter(time: Date): Date {
  return new Date(time.getTime() + idleMs);
}

/** Returns the `signalAt` of a partition whose retry is due at `time`. */
export function overdueAfter(time: Date): Date {
  return new Date(time.getTime() + overdueMs);
}
