// The messages of jobs that Temporal stores.
import type { JobToStart } from '../model/job.ts';

export interface RunJobInput {
  jobUid: string;
  /** Absent for the retention. */
  kind?: JobToStart['kind'];
  /** Absent for the retention. */
  appUid?: string;
  page?: number;
  cursor?: string | undefined;
}

export interface TakeJobPageInput {
  jobUid: string;
  /** Absent for the retention. */
  appUid?: string | undefined;
  /** Starts at 1. */
  page: number;
  /** From the previous page; only the retention, which has no document, keeps it here. */
  cursor?: string | undefined;
}

export interface JobPage {
  events: { eventId: string; webhookUids: string[] }[];
  isLast: boolean;
  waitMs?: number;
  cursor?: string;
}
