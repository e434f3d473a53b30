import { inSlices } from '../../lib/concurrency/in-slices.ts';
import { countHeldByWebhook } from '../../lib/history/held-counts.ts';
import type { Handler } from '../route.ts';
import { presentWebhook, viewNow, webhookSchema } from './present-webhook.ts';
import { listOf } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'listWebhooks',
  summary: 'List webhooks',
  description: 'The list has all webhooks, from oldest to newest.',
  answers: { 200: { description: 'All webhooks', schema: listOf(webhookSchema) } },
};

/** Not paged, because an application has at most 1,000 webhooks. */
export const listWebhooks: Handler = operation(facts, async ({ appUid }, context) => {
  const held = await countHeldByWebhook(context.store, appUid);
  const view = viewNow(context);
  const webhooks = context.store.webhooks.find({ appUid }).sort({ _id: 1 });
  const body: unknown[] = [];
  for await (const webhook of inSlices(webhooks)) {
    body.push(presentWebhook(webhook, view, held.get(webhook._id) ?? 0));
  }
  return { status: 200, body };
});
