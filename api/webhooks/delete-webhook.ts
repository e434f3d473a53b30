// DELETE …/webhooks/{webhookUid}: no event reaches it any more, waiting deliveries included.
import { recordAudit } from '../../lib/access/audit-log.ts';
import { inTransaction } from '../../lib/mongo/connect.ts';
import { newRelease, toStart } from '../../lib/deliveries/jobs.ts';
import type { Handler } from '../router.ts';
import { webhookEntry } from './webhook-audit.ts';
import { noSuchWebhook } from './webhook-fields.ts';

/**
 * Deletes a webhook and gives its place under the application's limit back. What waits for it is
 * cancelled: the job is written with the deletion, so that the relay starts it if this process cannot. Throws `not_found`.
 */
export const deleteWebhook: Handler = async ({ appUid, params, caller }, context) => {
  const { store, clock } = context;
  const _id = params['webhookUid'] ?? '';
  const now = clock.now();
  const job = newRelease({ appUid, webhookUid: _id }, now);
  await inTransaction(store, async (session) => {
    const { deletedCount } = await store.webhooks.deleteOne({ _id, appUid }, { session });
    if (deletedCount === 0) throw noSuchWebhook();
    await store.apps.updateOne({ _id: appUid }, { $inc: { webhookCount: -1 } }, { session });
    await store.jobs.insertOne(job, { session });
    const entry = webhookEntry({ _id, appUid }, 'webhook.deleted');
    await recordAudit(store, entry, { caller, now, session });
  });
  context.dispatcher.run(toStart(job));
  return { status: 204 };
};
