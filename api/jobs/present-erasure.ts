// An erasure as clients see it: how far it is, and not whom it is about.
import type { ErasureJob } from '../../lib/model/job.ts';

export interface PresentedErasure {
  uid: string;
  state: string;
  /** How many events have lost their payloads so far. */
  erasedCount: number;
  createdAt: string;
  finishedAt: string | null;
}

/** Gives an erasure's public fields. */
export function presentErasure(erasure: ErasureJob): PresentedErasure {
  return {
    uid: erasure._id,
    state: erasure.state,
    erasedCount: erasure.count,
    createdAt: erasure.createdAt.toISOString(),
    finishedAt: erasure.finishedAt?.toISOString() ?? null,
  };
}
