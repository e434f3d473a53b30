// DELETE …/webhooks/{webhookUid}: no event reaches it any more, waiting deliveries included.
import { recordAudit } from '../../lib/store/audit-log.ts';
import { inTransaction } from '../../lib/store/connect.ts';
import { newDiscard, toStart } from '../../lib/store/redeliveries.ts';
import type { Handler } from '../http/router.ts';
import { webhookEntry } from './webhook-audit.ts';
import { noSuchWebhook } from './webhook-fields.ts';

/**
 * Deletes a webhook and gives its place under the application's limit back. What waits for it is
 * dropped: the discard is written with the deletion, so that the relay starts it if this process
 * cannot. Throws `not_found`.
 */
export const deleteWebhook: Handler = async ({ appUid, params, caller }, context) => {
  const { store, clock } = context;
  const _id = params['webhookUid'] ?? '';
  const now = clock.now();
  const discard = newDiscard({ appUid, webhookUids: [_id] }, now);
  await inTransaction(store, async (session) => {
    const { deletedCount } = await store.webhooks.deleteOne({ _id, appUid }, { session });
    if (deletedCount === 0) throw noSuchWebhook();
    await store.apps.updateOne({ _id: appUid }, { $inc: { webhookCount: -1 } }, { session });
    await store.redeliveries.insertOne(discard, { session });
    const entry = webhookEntry({ _id, appUid }, 'webhook.deleted');
    await recordAudit(store, entry, { caller, now, session });
  });
  context.dispatcher.redeliver(toStart(discard));
  return { status: 204 };
};
