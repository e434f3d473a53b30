// A partition: the events about one resource on their way to one webhook that gets them in order.
import type { DeliveredEntity } from './event-name.ts';
import type { EventDocument } from './event.ts';

/** Names a partition. */
export interface PartitionKey {
  appUid: string;
  webhookUid: string;
  entity: DeliveredEntity;
  resourceUid: string;
}

/**
 * The counter of a partition. Events have numbers without holes, and number n may be attempted when
 * `settled` is n − 1; whoever settles it moves `settled` on. Kept for as long as the webhook.
 */
export interface PartitionDocument extends PartitionKey {
  /** The webhook, the kind of the resource and the resource, as `whk_…/agent/agt_…`. */
  _id: string;
  /** The last number that was given to an event. */
  issued: number;
  /** The last number whose delivery is settled. */
  settled: number;
  /** Who attempts the next number now, and until when nobody else may; null for nobody. */
  lease: { by: string; until: Date } | null;
  /** When the relay signals its workflow unless somebody moves it before; null when nobody need. */
  signalAt: Date | null;
}

/** An event's place in a partition. */
export interface Turn {
  partition: PartitionKey;
  n: number;
}

/** Returns a partition's uid. */
export function partitionId({
  webhookUid,
  entity,
  resourceUid,
}: Omit<PartitionKey, 'appUid'>): string {
  return `${webhookUid}/${entity}/${resourceUid}`;
}

/** Gives an event's turn at a webhook, null where the webhook does not get it in order. */
export function turnOf(
  event: Pick<EventDocument, 'appUid' | 'entity' | 'resourceUid' | 'order'>,
  webhookUid: string,
): Turn | null {
  const place = event.order.find((each) => each.webhookUid === webhookUid);
  if (place === undefined) return null;
  const { appUid, entity, resourceUid } = event;
  return { partition: { appUid, webhookUid, entity, resourceUid }, n: place.n };
}

/** Returns the name of a stored partition. */
export function keyOfPartition(partition: PartitionDocument): PartitionKey {
  const { appUid, webhookUid, entity, resourceUid } = partition;
  return { appUid, webhookUid, entity, resourceUid };
}
