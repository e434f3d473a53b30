import { recordAudit } from '../../lib/access/audit-log.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import { newRelease, toStart } from '../../lib/jobs/jobs.ts';
import type { Handler } from '../route.ts';
import { webhookEntry } from './webhook-audit.ts';
import { noSuchWebhook } from './webhook-fields.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'The call cancels the open deliveries of the webhook.',
  answers: { 204: { description: 'Done' } },
};

/** The job is committed with the deletion, so that the relay starts it if this process cannot. */
export const deleteWebhook: Handler = operation(
  facts,
  async ({ appUid, params, caller }, context) => {
    const { store } = context;
    const _id = params['webhookUid'] ?? '';
    const now = context.clock.now();
    const job = newRelease({ appUid, webhookUid: _id }, now);
    await inTransaction(store, async (session) => {
      const { deletedCount } = await store.webhooks.deleteOne({ _id, appUid }, { session });
      if (deletedCount === 0) throw noSuchWebhook();
      await store.apps.updateOne({ _id: appUid }, { $inc: { webhookCount: -1 } }, { session });
      await store.jobs.insertOne(job, { session });
      const entry = webhookEntry({ _id, appUid }, 'webhook.deleted');
      await recordAudit(store, entry, { caller, now, session });
    });
    context.starter.addJob(toStart(job));
    return { status: 204 };
  },
);
