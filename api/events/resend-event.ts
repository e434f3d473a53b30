// POST …/events/{eventId}/resend: sends an event again, now, to all or some of its webhooks.
import type { ClientSession } from 'mongodb';
import { AppError, type FieldError } from '../../lib/platform/errors.ts';
import { limits } from '../../lib/limits.ts';
import type { EventFacts } from '../../lib/model/event.ts';
import type { ResendJob } from '../../lib/model/job.ts';
import type { KnownWebhook } from '../../lib/model/webhook.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { runOnce } from '../../lib/mongo/idempotency.ts';
import { newJob } from '../../lib/deliveries/jobs.ts';
import { findKnownWebhooks } from '../../lib/webhooks/webhooks.ts';
import type { ApiRequest, Handler } from '../router.ts';
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
    const pausedWebhookUids = paused.map((webhook) => webhook._id);
    const begun = newJob(appUid, now);
    const resend: ResendJob = { ...begun, kind: 'resend', eventId: event._id, webhookUids };
    await store.jobs.insertOne(resend, { session });
    const target = { kind: 'event', uid: event._id };
    const details = { redeliveryUid: resend._id, webhookUids };
    const entry = { appUid, action: 'event.resent', target, details };
    await recordAudit(store, entry, { caller, now, session });
    return { redeliveryUid: resend._id, eventId: event._id, webhookUids, pausedWebhookUids };
  });
  const { redeliveryUid: _id, webhookUids } = answer;
  if (!repeated) context.dispatcher.run({ _id, appUid, kind: 'resend', webhookUids });
  return { status: 202, body: answer };
};

/** Gives the webhooks that are named, or those of the event that still exist. */
async function chooseWebhooks(
  { appUid, body }: Pick<ApiRequest<ResendEventBody>, 'appUid' | 'body'>,
  { store, event }: { store: Store; event: EventFacts },
  session: ClientSession,
): Promise<KnownWebhook[]> {
  const { webhookUids: named = null } = body;
  const asked = { appUid, webhookUids: named ?? event.webhookUids };
  const known = await findKnownWebhooks(store, asked, session);
  if (named !== null) refuseUnknown(named, new Set(known.map((webhook) => webhook._id)));
  if (known.length > 0) return known;
  const why =
    event.webhookUids.length === 0
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
