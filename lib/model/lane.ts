// A lane: the deliveries about one resource on their way to one webhook that wants them in order.
import type { DeliveredEntity } from './event-name.ts';
import type { CountedResource } from './sequence.ts';

/** Names a lane. */
export interface LaneKey extends CountedResource {
  webhookUid: string;
}

/** A delivery's place among those about the same resource. */
export interface LanePlace {
  entity: DeliveredEntity;
  resourceUid: string;
  sequence: number;
}
