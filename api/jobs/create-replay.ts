// POST …/webhooks/{webhookUid}/replays: sends the events of a time range again, or for the first time.
import { countReplay } from '../../lib/deliveries/replay-page.ts';
import { jobLimits, limits } from '../../lib/limits.ts';
import { deliveryStates } from '../../lib/model/delivery-state.ts';
import {
  eventNames,
  operationsEventNames,
  type SubscribedEventName,
} from '../../lib/model/event-name.ts';
import type { ReplayJob, ReplayedState } from '../../lib/model/job.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { runOnce } from '../../lib/mongo/idempotency.ts';
import { newJob, toStart } from '../../lib/deliveries/jobs.ts';
import type { ApiContext } from '../context.ts';
import { parseTime } from '../http/query-values.ts';
import type { ApiRequest, Handler } from '../router.ts';
import { invalidRequest, validator } from '../http/validate.ts';
import { findWebhook } from '../webhooks/webhook-fields.ts';
import { presentReplay } from './present-replay.ts';

export interface CreateReplayBody {
  since: string;
  until?: string;
  events?: SubscribedEventName[];
  states?: ReplayedState[];
  perSecond?: number;
  dryRun?: boolean;
}

const states: readonly ReplayedState[] = [...deliveryStates, 'never_attempted'];
// Failed deliveries; neither successful ones, nor events that the webhook did not subscribe to.
const statesDefault: ReplayedState[] = ['exhausted', 'cancelled', 'blocked'];

const time = { type: 'string', maxLength: 40 };

export const createReplayBody = validator<CreateReplayBody>({
  type: 'object',
  additionalProperties: false,
  required: ['since'],
  properties: {
    since: time,
    until: time,
    events: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', enum: [...eventNames, ...operationsEventNames] },
    },
    states: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', enum: [...states] },
    },
    perSecond: { type: 'integer', minimum: 1, maximum: limits.replayedPerSecondMax },
    dryRun: { type: 'boolean' },
  },
});

/** Sends only events that the webhook subscribes to now. Throws `not_found`, `invalid_request`. */
export const createReplay: Handler<CreateReplayBody> = async (request, context) => {
  const { appUid, body, caller } = request;
  const { store, secretBox } = context;
  const replay = newReplay(context, request);
  const { createdAt: now, webhookUid, since, until, events, states: chosen, perSecond } = replay;
  const webhook = { _id: webhookUid, appUid };
  if (body.dryRun === true) {
    const counted = await countReplay(store, replay, await findWebhook(store, webhook));
    return { status: 200, body: { dryRun: true, ...counted } };
  }
  const once = { key: request.idempotencyKey(), secretBox, now };
  const { answer, repeated } = await runOnce(store, once, async (session) => {
    await findWebhook(store, webhook, session);
    await store.jobs.insertOne(replay, { session });
    const target = { kind: 'replay', uid: replay._id };
    const details = { webhookUid, since, until, events, states: chosen, perSecond };
    const entry = { appUid, action: 'replay.created', target, details };
    await recordAudit(store, entry, { caller, now, session });
    return presentReplay(replay);
  });
  if (!repeated) context.dispatcher.run(toStart(replay));
  const location = `/api/v1/appuid/${appUid}/webhooks/${webhookUid}/replays/${answer.uid}`;
  return { status: 202, body: answer, headers: { location } };
};

function newReplay(
  context: ApiContext,
  { appUid, params, body }: ApiRequest<CreateReplayBody>,
): ReplayJob {
  const now = context.clock.now();
  const since = parseTime('#/since', body.since);
  // Later events are delivered without a replay, and a replay must end. Events that are being recorded now
  // are scanned once they are there (`scanUntil`).
  const asked = body.until === undefined ? now : parseTime('#/until', body.until);
  const until = asked < now ? asked : now;
  if (since >= until) {
    const detail = 'since must be before until, and before now';
    throw invalidRequest([{ pointer: '#/since', code: 'range', detail }]);
  }
  return {
    ...newJob(appUid, now),
    kind: 'replay',
    webhookUid: params['webhookUid'] ?? '',
    since,
    until,
    events: body.events ?? null,
    states: body.states ?? statesDefault,
    perSecond: body.perSecond ?? jobLimits.releasedPerSecondDefault,
  };
}
