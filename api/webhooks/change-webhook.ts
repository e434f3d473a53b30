// PATCH …/webhooks/{webhookUid}: changes the URL or the entities, pauses or resumes.
import type { Handler } from '../http/router.ts';
import { presentWebhook } from './present-webhook.ts';
import { acceptUrl, noSuchWebhook } from './webhook-fields.ts';
import type { ChangeWebhookBody } from './webhook-fields.ts';

/** Changes the fields given; attempts made from now on see them. Throws `invalid_webhook_url`. */
export const changeWebhook: Handler<ChangeWebhookBody> = async (request, context) => {
  const { appUid, params, body } = request;
  const webhook = await context.store.webhooks.findOneAndUpdate(
    { _id: params['webhookUid'] ?? '', appUid },
    {
      $set: {
        ...(body.url === undefined ? {} : { url: acceptUrl(context, body.url) }),
        ...(body.entities === undefined ? {} : { entities: body.entities }),
        // Whoever sets `active` has taken note of why the service paused the webhook.
        ...(body.active === undefined ? {} : { active: body.active, disabledReason: null }),
        updatedAt: context.clock.now(),
      },
    },
    { returnDocument: 'after' },
  );
  if (webhook === null) throw noSuchWebhook();
  return { status: 200, body: presentWebhook(webhook) };
};
