import { type ErasureJob, jobStates } from '../../lib/model/job.ts';
import { count, named, objectOf, oneOfTexts, text, time, timeOrNull } from '../http/schemas.ts';

/** Returns an erasure as shown to clients, without its subject. */
export function presentErasure(erasure: ErasureJob) {
  return {
    uid: erasure._id,
    state: erasure.state,
    erasedCount: erasure.count,
    createdAt: erasure.createdAt.toISOString(),
    finishedAt: erasure.finishedAt?.toISOString() ?? null,
  };
}

export const erasureSchema = named(
  'Erasure',
  objectOf<ReturnType<typeof presentErasure>>({
    uid: text,
    state: oneOfTexts(jobStates),
    erasedCount: count,
    createdAt: time,
    finishedAt: timeOrNull,
  }),
);
