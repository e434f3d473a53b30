// How a page of a job is made, whatever its kind.
import type { ClientSession } from 'mongodb';
import type { PartitionKey } from '../model/partition.ts';
import type { PageProgress } from './jobs.ts';

/** How a page is taken: in its transaction, at a time. */
export interface PageMaking {
  page: number;
  now: Date;
  session: ClientSession;
}

/** What a page came to: its job goes on after it, and these partitions have something to do. */
export interface TakenPage extends PageProgress {
  partitions: PartitionKey[];
  /** How long until the next page; a second where it does not say. */
  waitMs?: number;
}
