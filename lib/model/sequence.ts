import type { EventDocument } from './event.ts';

/** Kept for ever: receivers compare the numbers with those they saw long ago. */
export interface SequenceDocument {
  _id: string;
  last: number;
  /** What the latest counts of several resources got, newest first. */
  counted?: { by: string; last: number }[];
}

export type CountedResource = Pick<EventDocument, 'appUid' | 'entity' | 'resourceUid'>;
