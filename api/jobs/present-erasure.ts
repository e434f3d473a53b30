import { type ErasureJob, jobStates } from '../../lib/model/job.ts';
import type { CountedErasure } from '../../lib/jobs/erasure/count-erasure.ts';
import {
  boolean,
  count,
  named,
  objectOf,
  oneOfTexts,
  text,
  time,
  timeOrNull,
} from '../http/schemas.ts';

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

const dryRunSchema = named(
  'ErasureDryRun',
  objectOf<CountedErasure & { dryRun: true }>({
    dryRun: { const: true },
    count: { ...count, description: 'The payloads that would be deleted.' },
    openCount: { ...count, description: 'The open deliveries that would be cancelled.' },
    keptResources: {
      ...objectOf<CountedErasure['keptResources']>({
        agent: count,
        context: count,
        contextfile: count,
      }),
      description:
        'The resources stored here that match. An erasure keeps them: delete them first, or later changes and syncs send them again.',
    },
    countIsCapped: { ...boolean, description: 'True if there are more.' },
  }),
);

export const erasureAnswers = {
  200: { description: 'The count of a dry run', schema: dryRunSchema },
  202: {
    description: 'The erasure, which runs or waits',
    schema: erasureSchema,
    headers: ['location'],
  },
} as const;
