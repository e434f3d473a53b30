import type { JobOutcomes } from '../../lib/history/job-outcomes.ts';
import { entities } from '../../lib/model/event-name.ts';
import { jobStates, type SyncJob } from '../../lib/model/job.ts';
import {
  boolean,
  count,
  countFromOne,
  listOf,
  named,
  objectOf,
  oneOfTexts,
  orNull,
  text,
  time,
  timeOrNull,
} from '../http/schemas.ts';
import { outcomesSchema } from './present-outcomes.ts';

/** Returns a sync as shown to clients. */
export function presentSync(sync: SyncJob) {
  return {
    uid: sync._id,
    webhookUid: sync.webhookUid,
    entities: sync.entities,
    externalTenantIds: sync.externalTenantIds,
    perSecond: sync.perSecond,
    state: sync.state,
    releasedCount: sync.count,
    counts: sync.counts,
    createdAt: sync.createdAt.toISOString(),
    finishedAt: sync.finishedAt?.toISOString() ?? null,
  };
}

const counts = named('SyncCounts', {
  ...objectOf<SyncJob['counts']>({ agent: count, context: count, contextfile: count }),
  description: 'The deliveries by entity.',
});

const properties = {
  uid: text,
  webhookUid: text,
  entities: listOf(oneOfTexts(entities)),
  externalTenantIds: orNull(listOf(text)),
  perSecond: countFromOne,
  state: oneOfTexts(jobStates),
  releasedCount: { ...count, description: 'The number of deliveries that the sync sends.' },
  counts,
  createdAt: time,
  finishedAt: timeOrNull,
};

type PresentedSync = ReturnType<typeof presentSync>;

export const syncSchema = named('Sync', objectOf<PresentedSync>(properties));

export const syncDetailSchema = named(
  'SyncDetail',
  objectOf<PresentedSync & { outcomes: JobOutcomes }>({ ...properties, ...outcomesSchema }),
);

const startedSyncSchema = named(
  'StartedSync',
  objectOf<PresentedSync & { isPaused: boolean }>({
    ...properties,
    isPaused: {
      ...boolean,
      description: 'True if the webhook is paused and holds the deliveries.',
    },
  }),
);

interface DryRun {
  dryRun: true;
  count: number;
  countIsCapped: boolean;
  counts: SyncJob['counts'];
}

const dryRunSchema = named(
  'SyncDryRun',
  objectOf<DryRun>({
    dryRun: { const: true },
    count,
    countIsCapped: { ...boolean, description: 'True if there are more.' },
    counts,
  }),
);

export const syncAnswers = {
  200: { description: 'The count of a dry run', schema: dryRunSchema },
  202: {
    description: 'The sync, which runs or waits',
    schema: startedSyncSchema,
    headers: ['location'],
  },
} as const;
