// How many changes a resource has had: the number that its events carry.
import type { DeliveredEntity } from './event-name.ts';

/** One a resource, kept for ever: receivers compare the numbers with those they saw long ago. */
export interface SequenceDocument {
  /** The application, the kind of the resource and the resource, as `app_…/agent/agt_…`. */
  _id: string;
  /** The number of the resource's latest change. */
  last: number;
}

/** A resource whose changes are counted. Two of different kinds may have the same uid, such as a row's number. */
export interface CountedResource {
  appUid: string;
  entity: DeliveredEntity;
  resourceUid: string;
}
