import type { JobOutcomes } from '../../lib/history/job-outcomes.ts';
import { timeOfId } from '../../lib/platform/ids.ts';
import { jobStates, replayedStates, type ReplayJob } from '../../lib/model/job.ts';
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
  textOrNull,
  time,
  timeOrNull,
} from '../http/schemas.ts';
import { outcomesSchema } from './present-outcomes.ts';
import { subscribedEventNames } from '../../lib/model/event-name.ts';
import { sendableReasons } from '../../lib/model/cancel-reason.ts';

/** Returns a replay as shown to clients. `reachedAt` moves from `since` to `until` for each webhook. */
export function presentReplay(replay: ReplayJob) {
  return {
    uid: replay._id,
    webhookUid: replay.webhookUid,
    since: replay.since.toISOString(),
    until: replay.until.toISOString(),
    events: replay.events,
    states: replay.states,
    cancelReasons: replay.cancelReasons,
    externalTenantId: replay.externalTenantId,
    perSecond: replay.perSecond,
    state: replay.state,
    releasedCount: replay.count,
    webhookCount: replay.webhookUids.length,
    webhooksDone: replay.webhooksDone,
    webhooks: replay.webhooks.map(({ webhookUid, count }) => ({
      webhookUid,
      releasedCount: count,
    })),
    reachedAt: replay.cursor === '' ? null : timeOfId(replay.cursor).toISOString(),
    createdAt: replay.createdAt.toISOString(),
    finishedAt: replay.finishedAt?.toISOString() ?? null,
  };
}

const replayedWebhook = named(
  'ReplayedWebhook',
  objectOf<{ webhookUid: string; releasedCount: number }>({
    webhookUid: text,
    releasedCount: count,
  }),
);

const properties = {
  uid: text,
  webhookUid: {
    ...textOrNull,
    description: 'The webhook of the replay. Null for a replay of the application.',
  },
  since: time,
  until: time,
  events: orNull(listOf(oneOfTexts(subscribedEventNames))),
  states: listOf(oneOfTexts(replayedStates)),
  cancelReasons: listOf(oneOfTexts(sendableReasons)),
  externalTenantId: textOrNull,
  perSecond: countFromOne,
  state: oneOfTexts(jobStates),
  releasedCount: { ...count, description: 'The number of deliveries that the replay sends.' },
  webhookCount: count,
  webhooksDone: count,
  webhooks: { ...listOf(replayedWebhook), description: 'The webhooks that get deliveries.' },
  reachedAt: { ...timeOrNull, description: 'The position of the replay at its current webhook.' },
  createdAt: time,
  finishedAt: timeOrNull,
};

type PresentedReplay = ReturnType<typeof presentReplay>;

export const replaySchema = named('Replay', objectOf<PresentedReplay>(properties));

export const replayDetailSchema = named(
  'ReplayDetail',
  objectOf<PresentedReplay & { outcomes: JobOutcomes }>({ ...properties, ...outcomesSchema }),
);

const startedReplaySchema = named(
  'StartedReplay',
  objectOf<PresentedReplay & { pausedWebhookUids: string[] }>({
    ...properties,
    pausedWebhookUids: {
      ...listOf(text),
      description: 'The paused webhooks, which hold their deliveries.',
    },
  }),
);

interface DryRun {
  dryRun: true;
  count: number;
  countIsCapped: boolean;
  states: unknown[];
  nextAttemptAt: unknown;
  webhooks: unknown[];
}

const dryRunSchema = named(
  'ReplayDryRun',
  objectOf<DryRun>({
    dryRun: { const: true },
    count,
    countIsCapped: { ...boolean, description: 'True if there are more.' },
    states: {
      ...listOf(
        objectOf<{ state: string; cancelReason: string | null; count: number }>({
          state: oneOfTexts(replayedStates),
          cancelReason: orNull(oneOfTexts(sendableReasons)),
          count,
        }),
      ),
      description: 'The states with deliveries to send. `cancelReason` is set for `cancelled`.',
    },
    nextAttemptAt: {
      ...timeOrNull,
      description: 'The earliest next attempt of the `retrying` ones. Null if there are none.',
    },
    webhooks: listOf(objectOf<{ webhookUid: string; count: number }>({ webhookUid: text, count })),
  }),
);

export const replayAnswers = {
  200: { description: 'The count of a dry run', schema: dryRunSchema },
  202: {
    description: 'The replay, which runs or waits',
    schema: startedReplaySchema,
    headers: ['location'],
  },
} as const;
