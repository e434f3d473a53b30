// DELETE …/webhooks/{webhookUid}: no event reaches it any more, waiting deliveries included.
import { inTransaction } from '../../lib/store/connect.ts';
import type { Handler } from '../http/router.ts';
import { noSuchWebhook } from './webhook-fields.ts';

/** Deletes a webhook and gives its place under the application's limit back. Throws `not_found`. */
export const deleteWebhook: Handler = async ({ appUid, params }, context) => {
  const { store } = context;
  const _id = params['webhookUid'] ?? '';
  await inTransaction(store, async (session) => {
    const { deletedCount } = await store.webhooks.deleteOne({ _id, appUid }, { session });
    if (deletedCount === 0) throw noSuchWebhook();
    await store.apps.updateOne({ _id: appUid }, { $inc: { webhookCount: -1 } }, { session });
  });
  return { status: 204 };
};
