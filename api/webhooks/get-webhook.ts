// GET …/webhooks/{webhookUid}: one webhook, without its secret.
import type { Handler } from '../router.ts';
import { showWebhook } from './present-webhook.ts';
import { findWebhook } from './webhook-fields.ts';

export const getWebhook: Handler = async ({ appUid, params }, context) => {
  const webhook = await findWebhook(context.store, { _id: params['webhookUid'] ?? '', appUid });
  return { status: 200, body: await showWebhook(context, webhook) };
};
