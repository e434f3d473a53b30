import type { ErasureJob } from '../../lib/model/job.ts';

/** Returns an erasure as clients see it, without its subject. */
export function presentErasure(erasure: ErasureJob) {
  return {
    uid: erasure._id,
    state: erasure.state,
    erasedCount: erasure.count,
    createdAt: erasure.createdAt.toISOString(),
    finishedAt: erasure.finishedAt?.toISOString() ?? null,
  };
}
