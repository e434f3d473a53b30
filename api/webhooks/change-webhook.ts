// PATCH …/webhooks/{webhookUid}: changes the URL or the entities, pauses or resumes.
import type { WebhookDocument } from '../../lib/store/webhooks.ts';
import type { Handler } from '../http/router.ts';
import { presentWebhook } from './present-webhook.ts';
import { acceptUrl, noSuchWebhook } from './webhook-fields.ts';
import type { ChangeWebhookBody } from './webhook-fields.ts';

/**
 * Changes the fields given; attempts made from now on see them. Resuming a paused webhook also
 * releases what was held meanwhile: `resumedAt` is written with the change, so that the relay
 * starts the release if this process cannot. Throws `invalid_webhook_url`.
 */
export const changeWebhook: Handler<ChangeWebhookBody> = async (request, context) => {
  const { appUid, params, body } = request;
  const { webhooks } = context.store;
  const now = context.clock.now();
  const fields: Partial<WebhookDocument> = {
    ...(body.url === undefined ? {} : { url: acceptUrl(context, body.url) }),
    ...(body.entities === undefined ? {} : { entities: body.entities }),
    // Whoever sets `active` has taken note of why the service paused the webhook.
    ...(body.active === undefined ? {} : { active: body.active, disabledReason: null }),
    updatedAt: now,
  };
  const filter = { _id: params['webhookUid'] ?? '', appUid };
  const after = { returnDocument: 'after' } as const;
  if (body.active === true) {
    const set = { $set: { ...fields, resumedAt: now } };
    const resumed = await webhooks.findOneAndUpdate({ ...filter, active: false }, set, after);
    if (resumed !== null) {
      context.dispatcher.release({ _id: resumed._id, appUid, resumedAt: now });
      return { status: 200, body: presentWebhook(resumed) };
    }
  }
  const changed = await webhooks.findOneAndUpdate(filter, { $set: fields }, after);
  if (changed === null) throw noSuchWebhook();
  return { status: 200, body: presentWebhook(changed) };
};
