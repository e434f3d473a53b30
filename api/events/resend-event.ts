// POST …/events/{eventId}/resend: sends an event again to all or some of its webhooks, or to others.
import type { ClientSession } from 'mongodb';
import { AppError } from '../../lib/platform/errors.ts';
import { isDropped } from '../../lib/model/cancel-reason.ts';
import { seenDiscards } from '../../lib/model/discards.ts';
import { testEventName } from '../../lib/model/event-name.ts';
import type { EventFacts } from '../../lib/model/event.ts';
import type { ResendJob } from '../../lib/model/job.ts';
import type { KnownWebhook } from '../../lib/model/webhook.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { runOnce } from '../../lib/mongo/idempotency.ts';
import { findDeliveries } from '../../lib/deliveries/delivery-records.ts';
import { newJob } from '../../lib/jobs/jobs.ts';
import { matchesKind } from '../../lib/webhooks/subscriptions.ts';
import { findKnownWebhooks } from '../../lib/webhooks/webhooks.ts';
import type { ApiRequest, Handler } from '../route.ts';
import { validator } from '../http/validate.ts';
import { refuseOthers, webhookUidsField } from '../webhooks/named-webhooks.ts';
import { findEvent } from './get-event.ts';
import { listOf, named, objectOf, text } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';

interface ResendEventBody {
  webhookUids?: string[];
}

export const resendEventBody = validator<ResendEventBody>({
  properties: {
    webhookUids: {
      ...webhookUidsField,
      description:
        'The webhooks of the application to send the event to. By default, the event is sent to all webhooks that were subscribed to it. Webhooks whose delivery was cancelled on purpose, such as `discarded` or `unsubscribed`, are left out by default.',
    },
  },
});

interface Resent {
  redeliveryUid: string;
  eventId: string;
  webhookUids: string[];
  pausedWebhookUids: string[];
}

const resentSchema = named(
  'Resent',
  objectOf<Resent>({
    redeliveryUid: text,
    eventId: text,
    webhookUids: listOf(text),
    pausedWebhookUids: {
      ...listOf(text),
      description: 'The paused webhooks, which hold the event.',
    },
  }),
);

const facts: Operation = {
  id: 'resendEvent',
  summary: 'Resend an event',
  description: 'The event is sent immediately.',
  example: {},
  answers: { 202: { description: 'The webhooks that get the event', schema: resentSchema } },
  problems: ['conflict', 'unknown_webhook_uids'],
  takesIdempotencyKey: true,
};

/**
 * A paused webhook holds the event; the response names these webhooks. Throws `not_found`, `unknown_webhook_uids`, or
 * `conflict` if there is no webhook to send it to or its payload was erased.
 */
export const resendEvent: Handler<ResendEventBody> = operation(facts, async (request, context) => {
  const { appUid, caller } = request;
  const { store, secretBox, clock } = context;
  const now = clock.now();
  const once = { key: request.idempotencyKey(), secretBox, now };
  const { answer, repeated } = await runOnce(store, once, async (session) => {
    const event = await findEvent(request, context, session);
    if (event.erasedAt !== null) throw new AppError('conflict', "the event's payload was erased");
    const webhooks = await chooseWebhooks(request, { store, event }, session);
    const webhookUids = webhooks.map((webhook) => webhook._id);
    const paused = webhooks.filter((webhook) => !webhook.active);
    const eventId = event._id;
    const what = { eventId, webhookUids, seenDiscards: seenDiscards(webhooks) };
    const resend: ResendJob = { ...newJob(appUid, now), kind: 'resend', ...what };
    await store.jobs.insertOne(resend, { session });
    const redeliveryUid = resend._id;
    const target = { kind: 'event', uid: eventId };
    const details = { redeliveryUid, webhookUids };
    const entry = { appUid, action: 'event.resent', target, details };
    await recordAudit(store, entry, { caller, now, session });
    const pausedWebhookUids = paused.map((webhook) => webhook._id);
    return { redeliveryUid, eventId, webhookUids, pausedWebhookUids };
  });
  const { redeliveryUid: _id, webhookUids } = answer;
  if (!repeated) context.starter.addJob({ _id, appUid, kind: 'resend', webhookUids });
  return { status: 202, body: answer };
});

async function chooseWebhooks(
  { appUid, body }: ApiRequest<ResendEventBody>,
  { store, event }: { store: Store; event: EventFacts },
  session: ClientSession,
): Promise<KnownWebhook[]> {
  const { webhookUids: named = null } = body;
  const wanted = { appUid, webhookUids: named ?? event.webhookUids };
  const known = await findKnownWebhooks(store, wanted, session);
  const fitting = known.filter((webhook) => mayGet(webhook, event));
  if (named !== null) {
    refuseOthers(named, fitting);
    return fitting;
  }
  const keys = fitting.map(({ _id }) => ({ appUid, eventId: event._id, webhookUid: _id }));
  const deliveries = await findDeliveries(store, keys, session);
  const chosen = fitting.filter((_webhook, index) => {
    const delivery = deliveries[index];
    return delivery == null || !isDropped(delivery);
  });
  if (chosen.length > 0) return chosen;
  throw new AppError('conflict', `${whyNone(event, fitting)}; send webhookUids`);
}

function whyNone({ webhookUids }: EventFacts, fitting: readonly KnownWebhook[]): string {
  if (webhookUids.length === 0) return 'no webhook was subscribed to the event';
  return fitting.length === 0
    ? 'the webhooks that were subscribed to the event are deleted'
    : 'the deliveries of the event were cancelled on purpose';
}

// A test can be sent to any webhook.
function mayGet(webhook: KnownWebhook, { event, resourceUid }: EventFacts): boolean {
  return event === testEventName || matchesKind(webhook, { event, resourceUid });
}
