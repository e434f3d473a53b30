// PATCH …/webhooks/{webhookUid}: changes its fields, pauses or resumes.
import type { WebhookDocument } from '../../lib/store/webhooks.ts';
import type { Handler } from '../http/router.ts';
import { showWebhook } from './present-webhook.ts';
import { checkEvents, noSuchWebhook, readFields } from './webhook-fields.ts';
import type { ChangeWebhookBody, WrittenFields } from './webhook-fields.ts';

/**
 * Changes the fields given; attempts made from now on see them. Resuming a paused webhook also
 * releases what was held meanwhile, or drops it with `onResume: "discard"`: `resumedAt` is written
 * with the change, so that the relay starts the release if this process cannot. Throws
 * `invalid_webhook_url`, `invalid_request`, `not_found`.
 */
export const changeWebhook: Handler<ChangeWebhookBody> = async (request, context) => {
  const { appUid, params, body } = request;
  const { webhooks } = context.store;
  const now = context.clock.now();
  const filter = { _id: params['webhookUid'] ?? '', appUid };
  const written = readFields(context, body);
  if (written.events !== undefined || written.entities !== undefined) {
    const before = await webhooks.findOne(filter);
    if (before === null) throw noSuchWebhook();
    checkEvents({ ...before, ...written });
  }
  const fields = { ...written, ...forgiven(written), updatedAt: now };
  const after = { returnDocument: 'after' } as const;
  if (body.active === true) {
    const resume = { resumedAt: now, onResume: body.onResume ?? 'deliver' };
    const set = { $set: { ...fields, ...resume } };
    const resumed = await webhooks.findOneAndUpdate({ ...filter, active: false }, set, after);
    if (resumed !== null) {
      context.dispatcher.release({ _id: resumed._id, appUid, ...resume });
      return { status: 200, body: await showWebhook(context, resumed) };
    }
  }
  const changed = await webhooks.findOneAndUpdate(filter, { $set: fields }, after);
  if (changed === null) throw noSuchWebhook();
  return { status: 200, body: await showWebhook(context, changed) };
};

/** Whoever sets `active` has taken note of why the service paused the webhook, and starts anew. */
function forgiven(written: WrittenFields): Partial<WebhookDocument> {
  if (written.active === undefined) return {};
  const clock = written.active ? { failingSince: null, lastExhaustedAt: null } : {};
  return { disabledReason: null, ...clock };
}
