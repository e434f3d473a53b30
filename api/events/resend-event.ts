// POST …/events/{eventId}/resend: sends an event again, now, to all or some of its webhooks.
import { limits } from '../../lib/config.ts';
import { AppError } from '../../lib/errors.ts';
import type { FieldError } from '../../lib/errors.ts';
import { recordAudit } from '../../lib/store/audit-log.ts';
import type { EventFacts } from '../../lib/store/events.ts';
import { runOnce } from '../../lib/store/idempotency.ts';
import { newRedelivery, toStart } from '../../lib/store/redeliveries.ts';
import type { ResendDocument } from '../../lib/store/redeliveries.ts';
import { findKnownWebhooks } from '../../lib/store/webhooks.ts';
import type { KnownWebhook } from '../../lib/store/webhooks.ts';
import type { ApiContext } from '../context.ts';
import type { Handler } from '../http/router.ts';
import { uidField } from '../http/text-fields.ts';
import { invalidRequest, validator } from '../http/validate.ts';
import { findEvent } from './get-event.ts';

export interface ResendEventBody {
  webhookUids?: string[];
}

export const resendEventBody = validator<ResendEventBody>({
  type: 'object',
  additionalProperties: false,
  properties: {
    webhookUids: {
      type: 'array',
      minItems: 1,
      maxItems: limits.webhooksPerAppCeiling,
      uniqueItems: true,
      items: uidField,
    },
  },
});

/**
 * Sends the same bytes with the same event id, a fresh timestamp and signature; whatever a delivery's
 * state, its schedule begins anew. Also to a webhook that was not subscribed at the time. A paused one
 * holds it until it is resumed, and the answer names those that are paused now. Answers 202. Throws
 * `not_found`, `unknown_webhook_uids`, `conflict` when there is nobody to send it to or its payload was
 * erased.
 */
export const resendEvent: Handler<ResendEventBody> = async (request, context) => {
  const event = await findEvent(request, context);
  if (event.erasedAt !== null) throw new AppError('conflict', "the event's payload was erased");
  const webhooks = await chooseWebhooks(context, event, request.body.webhookUids);
  const webhookUids = webhooks.map((webhook) => webhook._id);
  const paused = webhooks.filter((webhook) => !webhook.active);
  const pausedWebhookUids = paused.map((webhook) => webhook._id);
  const now = context.clock.now();
  const resend: ResendDocument = {
    ...newRedelivery(request.appUid, now),
    kind: 'resend',
    eventId: event._id,
    webhookUids,
  };
  const { answer, repeated } = await runOnce(
    context.store,
    { key: request.idempotencyKey(), secretBox: context.secretBox, now },
    async (session) => {
      await context.store.redeliveries.insertOne(resend, { session });
      const target = { kind: 'event', uid: event._id };
      const details = { redeliveryUid: resend._id, webhookUids };
      const entry = { appUid: request.appUid, action: 'event.resent', target, details };
      await recordAudit(context.store, entry, { caller: request.caller, now, session });
      return { redeliveryUid: resend._id, eventId: event._id, webhookUids, pausedWebhookUids };
    },
  );
  if (!repeated) context.dispatcher.redeliver(toStart(resend));
  return { status: 202, body: answer };
};

/** Gives the webhooks that are named, or those of the event that still exist. */
async function chooseWebhooks(
  { store }: ApiContext,
  { appUid, webhookUids: subscribed }: EventFacts,
  named: string[] | undefined,
): Promise<KnownWebhook[]> {
  const asked = named ?? subscribed;
  const known = await findKnownWebhooks(store, appUid, asked);
  if (named !== undefined) refuseUnknown(named, new Set(known.map((webhook) => webhook._id)));
  if (known.length > 0) return known;
  const why =
    subscribed.length === 0
      ? 'nobody was subscribed to the event'
      : 'the webhooks that were subscribed to the event are deleted';
  throw new AppError('conflict', `${why}; name webhookUids`);
}

function refuseUnknown(webhookUids: readonly string[], known: ReadonlySet<string>): void {
  const errors = webhookUids.flatMap((uid, index): FieldError[] => {
    if (known.has(uid)) return [];
    const detail = `${uid} is not a webhook of this application`;
    return [{ pointer: `#/webhookUids/${index}`, code: 'unknown_webhook', detail }];
  });
  if (errors.length > 0) throw invalidRequest(errors, 'unknown_webhook_uids');
}
