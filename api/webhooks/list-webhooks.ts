// GET …/webhooks: all webhooks of the application, in the order they were registered.
import type { Handler } from '../http/router.ts';
import { showWebhook } from './present-webhook.ts';

/** Gives a plain array: an application has at most 100, so there is nothing to page. */
export const listWebhooks: Handler = async ({ appUid }, context) => {
  const webhooks = await context.store.webhooks.find({ appUid }).sort({ _id: 1 }).toArray();
  return {
    status: 200,
    body: await Promise.all(webhooks.map((webhook) => showWebhook(context, webhook))),
  };
};
