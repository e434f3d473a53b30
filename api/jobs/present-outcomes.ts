import type { JobOutcomes } from '../../lib/history/job-outcomes.ts';
import { count, named, objectOf } from '../http/schemas.ts';

export const outcomesSchema = {
  outcomes: {
    ...named(
      'JobOutcomes',
      objectOf<JobOutcomes>({
        pending: count,
        retrying: count,
        delivered: count,
        exhausted: count,
        held: count,
        cancelled: count,
        blocked: count,
      }),
    ),
    description:
      'The deliveries that it queued, by their present state. Each state is counted up to 10,000. A delivery that a later request sends again no longer counts.',
  },
};
