import type { EventDocument } from './event.ts';

/**
 * Never deleted: receivers compare the numbers with those they saw long ago. After a restore, one document is the floor,
 * above which new counters begin.
 */
export interface SequenceDocument {
  _id: string;
  last: number;
  /** The results of the latest batched counts, newest first; absent before the first. */
  counted?: { by: string; last: number }[];
}

export type CountedResource = Pick<EventDocument, 'appUid' | 'entity' | 'resourceUid'>;
