// GET …/webhooks/{webhookUid}: one webhook.
import type { Handler } from '../router.ts';
import { showWebhook } from './present-webhook.ts';
import { noSuchWebhook } from './webhook-fields.ts';

/** Gives a webhook without its secret. Throws `not_found`. */
export const getWebhook: Handler = async ({ appUid, params }, context) => {
  const webhook = await context.store.webhooks.findOne({ _id: params['webhookUid'] ?? '', appUid });
  if (webhook === null) throw noSuchWebhook();
  return { status: 200, body: await showWebhook(context, webhook) };
};
