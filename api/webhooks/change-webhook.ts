// PATCH …/webhooks/{webhookUid}: changes its fields, pauses or resumes.
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { DiscardDocument } from '../../lib/model/redelivery.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import { recordAudit } from '../../lib/store/audit-log.ts';
import { inTransaction } from '../../lib/store/connect.ts';
import { differs } from '../../lib/store/differs.ts';
import { putInOrder } from '../../lib/store/lanes.ts';
import { newDiscard, toStart } from '../../lib/store/redeliveries.ts';
import type { Handler } from '../http/router.ts';
import { invalidRequest } from '../http/validate.ts';
import { showWebhook } from './present-webhook.ts';
import { webhookDetails, webhookEntry } from './webhook-audit.ts';
import { checkEvents, noSuchWebhook, readFields } from './webhook-fields.ts';
import type { ChangeWebhookBody, WrittenFields } from './webhook-fields.ts';

/**
 * Changes the fields given; attempts made from now on see them, and cancel what the webhook no longer
 * subscribes to. Where all are as they were, nothing is written. Resuming a paused webhook also
 * releases what was held meanwhile, or drops it with `onResume: "discard"`: `resumedAt` or the discard
 * is written with the change, so that the relay starts what this process cannot. With
 * `ordering: "resource"` the events recorded from the answer on wait for those that are on their way;
 * whoever gets no answer asks again, and then that is done. Throws
 * `invalid_webhook_url`, `invalid_request`, `not_found`, `conflict` for a discard without a pause.
 */
export const changeWebhook: Handler<ChangeWebhookBody> = async (request, context) => {
  const { appUid, params, body, caller } = request;
  const { store } = context;
  const now = context.clock.now();
  const filter = { _id: params['webhookUid'] ?? '', appUid };
  checkResume(body);
  const written = readFields(context, body);
  const fields = { ...written, ...forgiven(written) };
  const release = { resumedAt: now, releaseUid: newId('rdl', now) };
  const discard =
    body.onResume === 'discard' ? newDiscard({ appUid, webhookUids: [filter._id] }, now) : null;
  const { webhook, resumed } = await inTransaction(store, async (session) => {
    const before = await store.webhooks.findOne(filter, { session });
    if (before === null) throw noSuchWebhook();
    if (written.events !== undefined || written.entities !== undefined) {
      checkEvents({ ...before, ...written });
    }
    if (discard !== null) refuseLateDiscard(before);
    const resumes = body.active === true && !before.active;
    if (!resumes && !differs(before, fields)) return { webhook: before, resumed: false };
    const resume = discard === null ? release : discardingResume(discard);
    const changes = { ...fields, ...(resumes ? resume : {}), updatedAt: now };
    if (resumes && discard !== null) await store.redeliveries.insertOne(discard, { session });
    await store.webhooks.updateOne(filter, { $set: changes }, { session });
    const entry = webhookEntry(before, 'webhook.changed', webhookDetails(body));
    await recordAudit(store, entry, { caller, now, session });
    return { webhook: { ...before, ...changes }, resumed: resumes };
  });
  // After the change: what is recorded from then on is in order by itself.
  const key = { appUid, webhookUid: webhook._id };
  if (written.ordering === 'resource') await putInOrder(store, key, now);
  if (resumed) {
    if (discard !== null) context.dispatcher.redeliver(toStart(discard));
    else context.dispatcher.release({ _id: webhook._id, appUid, ...release });
  }
  return { status: 200, body: await showWebhook(context, webhook) };
};

/** What becomes of held deliveries is a matter of a resume; without one it would be ignored unseen. */
function checkResume({ active, onResume }: ChangeWebhookBody): void {
  if (onResume === undefined || active === true) return;
  const detail = 'onResume says what a resume does, so active must be true beside it';
  throw invalidRequest([{ pointer: '#/onResume', code: 'without_resume', detail }]);
}

/**
 * A discard drops what a pause kept back. Of an active webhook it would drop retries that nobody paused, so
 * only one whose latest resume was that discard passes: the change is asked for once more.
 */
function refuseLateDiscard({ active, releaseUid, discardUid }: WebhookDocument): void {
  if (!active || (discardUid !== null && discardUid === releaseUid)) return;
  const detail = 'the webhook is active; pause it, then resume it with onResume discard';
  throw new AppError('conflict', detail);
}

/** No release is left to start: there is nothing more for one to send. */
function discardingResume({ _id }: DiscardDocument): Partial<WebhookDocument> {
  return { resumedAt: null, releaseUid: _id, discardUid: _id };
}

/** Whoever sets `active` has taken note of why the service paused the webhook, and starts anew. */
function forgiven(written: WrittenFields): Partial<WebhookDocument> {
  if (written.active === undefined) return {};
  const clock = written.active ? { failingSince: null, lastExhaustedAt: null } : {};
  return { disabledReason: null, ...clock };
}
