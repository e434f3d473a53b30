// POST …/webhooks/{webhookUid}/replays: sends the events of a time again, or for the first time.
import type { ClientSession } from 'mongodb';
import { countReplay } from '../../lib/deliveries/replay-page.ts';
import { limits } from '../../lib/limits.ts';
import { deliveryStates } from '../../lib/model/delivery-state.ts';
import { type EventName, eventNames } from '../../lib/model/event-name.ts';
import type { ReplayJob, ReplayedState } from '../../lib/model/job.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { within } from '../../lib/mongo/connect.ts';
import { runOnce } from '../../lib/mongo/idempotency.ts';
import { newJob, toStart } from '../../lib/deliveries/jobs.ts';
import { releasedPerSecondDefault } from '../../lib/temporal/messages.ts';
import type { ApiContext } from '../context.ts';
import { parseTime } from '../http/query-values.ts';
import type { ApiRequest, Handler } from '../router.ts';
import { invalidRequest, validator } from '../http/validate.ts';
import { noSuchWebhook } from '../webhooks/webhook-fields.ts';
import { presentReplay } from './present-replay.ts';

export interface CreateReplayBody {
  since: string;
  until?: string;
  events?: EventName[];
  states?: ReplayedState[];
  perSecond?: number;
  dryRun?: boolean;
}

const states: readonly ReplayedState[] = [...deliveryStates, 'never_attempted'];
/** What went wrong; not what arrived, nor what the webhook was never meant to get. */
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
      items: { type: 'string', enum: [...eventNames] },
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

/**
 * Starts a replay and answers 202, or with `dryRun` answers 200 with how many deliveries it would
 * send. Only events that the webhook gets as it is now are sent. Throws `not_found`,
 * `invalid_request`.
 */
export const createReplay: Handler<CreateReplayBody> = async (request, context) => {
  const { appUid, body, caller } = request;
  const replay = newReplay(context, request);
  if (body.dryRun === true) {
    const counted = await countReplay(context.store, replay, await findTarget(context, replay));
    return { status: 200, body: { dryRun: true, ...counted } };
  }
  const { answer, repeated } = await runOnce(
    context.store,
    { key: request.idempotencyKey(), secretBox: context.secretBox, now: replay.createdAt },
    async (session) => {
      await findTarget(context, replay, session);
      await context.store.jobs.insertOne(replay, { session });
      const target = { kind: 'replay', uid: replay._id };
      const { webhookUid, since, until, events, states: chosen, perSecond } = replay;
      const details = { webhookUid, since, until, events, states: chosen, perSecond };
      const entry = { appUid, action: 'replay.created', target, details };
      await recordAudit(context.store, entry, { caller, now: replay.createdAt, session });
      return presentReplay(replay);
    },
  );
  if (!repeated) context.dispatcher.run(toStart(replay));
  const location = `/api/v1/appuid/${appUid}/webhooks/${replay.webhookUid}/replays/${answer.uid}`;
  return { status: 202, body: answer, headers: { location } };
};

async function findTarget(
  { store }: ApiContext,
  { webhookUid, appUid }: ReplayJob,
  session?: ClientSession,
): Promise<WebhookDocument> {
  const webhook = await store.webhooks.findOne({ _id: webhookUid, appUid }, within(session));
  if (webhook === null) throw noSuchWebhook();
  return webhook;
}

function newReplay(
  context: ApiContext,
  { appUid, params, body }: ApiRequest<CreateReplayBody>,
): ReplayJob {
  const now = context.clock.now();
  const since = parseTime('#/since', body.since);
  // What is recorded from now on is delivered without a replay, and a replay must come to an end. What is
  // being recorded right now is looked at when it is there (`scanUntil`).
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
    perSecond: body.perSecond ?? releasedPerSecondDefault,
  };
}
