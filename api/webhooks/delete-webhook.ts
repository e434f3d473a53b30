// DELETE …/webhooks/{webhookUid}: no event reaches it any more, waiting deliveries included.
import { recordAudit } from '../../lib/store/audit-log.ts';
import { inTransaction } from '../../lib/store/connect.ts';
import type { Handler } from '../http/router.ts';
import { webhookEntry } from './webhook-audit.ts';
import { noSuchWebhook } from './webhook-fields.ts';

/** Deletes a webhook and gives its place under the application's limit back. Throws `not_found`. */
export const deleteWebhook: Handler = async ({ appUid, params, caller }, context) => {
  const { store, clock } = context;
  const _id = params['webhookUid'] ?? '';
  await inTransaction(store, async (session) => {
    const { deletedCount } = await store.webhooks.deleteOne({ _id, appUid }, { session });
    if (deletedCount === 0) throw noSuchWebhook();
    await store.apps.updateOne({ _id: appUid }, { $inc: { webhookCount: -1 } }, { session });
    const entry = webhookEntry({ _id, appUid }, 'webhook.deleted');
    await recordAudit(store, entry, { caller, now: clock.now(), session });
  });
  return { status: 204 };
};
