// GET …/webhooks: all webhooks of the application, in the order they were registered.
import { countHeldByWebhook } from '../../lib/deliveries/held-counts.ts';
import type { Handler } from '../router.ts';
import { presentWebhook, viewNow } from './present-webhook.ts';

/** Gives a plain array: an application has 1,000 at the very most, so there is nothing to page. */
export const listWebhooks: Handler = async ({ appUid }, context) => {
  const [webhooks, held] = await Promise.all([
    context.store.webhooks.find({ appUid }).sort({ _id: 1 }).toArray(),
    countHeldByWebhook(context.store, appUid),
  ]);
  const view = viewNow(context);
  return {
    status: 200,
    body: webhooks.map((webhook) => presentWebhook(webhook, view, held.get(webhook._id) ?? 0)),
  };
};
