// The fields that all requests for a replay share.
import { jobLimits, limits } from '../../lib/limits.ts';
import { newJob } from '../../lib/jobs/jobs.ts';
import { sendableReasons, type SendableReason } from '../../lib/model/cancel-reason.ts';
import { type SubscribedEventName, subscribedEventNames } from '../../lib/model/event-name.ts';
import { replayedByDefault, type ReplayedState, type ReplayJob } from '../../lib/model/job.ts';
import type { ApiRequest } from '../route.ts';
import { described } from '../http/schemas.ts';
import { parseTime } from '../http/query-values.ts';
import { tenantField, timeField } from '../http/text-fields.ts';
import { invalidRequest } from '../http/validate.ts';

export interface ReplayPeriod {
  since: string;
  until?: string;
  perSecond?: number;
  dryRun?: boolean;
}

export interface ReplayFields extends ReplayPeriod {
  events?: SubscribedEventName[];
  states?: ReplayedState[];
  cancelReasons?: SendableReason[];
  externalTenantId?: string;
}

export const replayPeriod = described(
  {
    since: timeField,
    until: timeField,
    perSecond: { type: 'integer', minimum: 1, maximum: limits.replayedPerSecondMax },
    dryRun: { type: 'boolean' },
  },
  {
    since: 'Events recorded at or after this time, in ISO 8601 with an offset.',
    until: 'Events recorded before this time. The default and the latest value is now.',
    perSecond: 'The maximum number of deliveries per second. The default is 20.',
    dryRun: 'If true, the call counts the deliveries and sends nothing.',
  },
);

/** Returns the schema of a list of these names. */
export function someOf(names: readonly string[]) {
  return {
    type: 'array',
    minItems: 1,
    uniqueItems: true,
    items: { type: 'string', enum: [...names] },
  };
}

/** Returns the schemas of a replay's fields, with the states that it may select. */
export function replayFields(states: readonly ReplayedState[]) {
  return {
    ...replayPeriod,
    ...described(
      {
        events: someOf(subscribedEventNames),
        states: someOf(states),
        cancelReasons: someOf(sendableReasons),
        externalTenantId: tenantField,
      },
      {
        events: 'The names of the events to send.',
        states:
          'The states of the deliveries to send again. The default is `exhausted`, `blocked` and `cancelled`. A `retrying` delivery is sent immediately. A `pending` delivery is sent if it has been pending for more than a minute. `never_attempted` stands for events that were never sent to the webhook.',
        cancelReasons:
          'The reasons of the `cancelled` deliveries to send again. The default is `expired` and `abandoned`, the lost deliveries. `discarded` and `unsubscribed` deliveries were cancelled on purpose. They are sent only if you name them.',
        externalTenantId: 'The tenant whose events are sent.',
      },
    ),
  };
}

/** Returns the job that a body describes, without its webhooks. Throws `invalid_request`. */
export function newReplay(
  { appUid, params, body }: Pick<ApiRequest<ReplayFields>, 'appUid' | 'params' | 'body'>,
  now: Date,
): ReplayJob {
  const since = parseTime('#/since', body.since);
  // Later events are delivered anyway, and a replay must end. For events being recorded, see `scanUntil`.
  const requested = body.until === undefined ? now : parseTime('#/until', body.until);
  const until = requested < now ? requested : now;
  if (since >= until) {
    const detail = 'since must be before until, and before now';
    throw invalidRequest([{ pointer: '#/since', code: 'range', detail }]);
  }
  return {
    ...newJob(appUid, now),
    kind: 'replay',
    webhookUid: params['webhookUid'] ?? null,
    webhookUids: [],
    seenDiscards: [],
    webhooksDone: 0,
    webhooks: [],
    since,
    until,
    events: body.events ?? null,
    states: body.states ?? replayedByDefault.states,
    cancelReasons: body.cancelReasons ?? replayedByDefault.cancelReasons,
    externalTenantId: body.externalTenantId ?? null,
    perSecond: body.perSecond ?? jobLimits.releasedPerSecondDefault,
  };
}
