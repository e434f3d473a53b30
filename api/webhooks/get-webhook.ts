import type { Handler } from '../route.ts';
import { showWebhook, webhookSchema } from './present-webhook.ts';
import { findWebhook } from './webhook-fields.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'getWebhook',
  summary: 'Get a webhook',
  answers: { 200: { description: 'The webhook', schema: webhookSchema } },
};

export const getWebhook: Handler = operation(facts, async ({ appUid, params }, context) => {
  const webhook = await findWebhook(context.store, { _id: params['webhookUid'] ?? '', appUid });
  return { status: 200, body: await showWebhook(context, webhook) };
});
