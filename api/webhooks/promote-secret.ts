import { AppError } from '../../lib/platform/errors.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import type { Handler } from '../route.ts';
import { showWebhook, webhookSchema } from './present-webhook.ts';
import { webhookEntry } from './webhook-audit.ts';
import { findWebhook } from './webhook-fields.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'promoteWebhookSecret',
  summary: 'Promote the new secret of a webhook',
  description: 'The new secret then signs `X-Webhook-Signature`.',
  answers: { 200: { description: 'The webhook', schema: webhookSchema } },
  problems: ['conflict'],
};

/** Idempotent. Throws `not_found`, or `conflict` if there is no rotation. */
export const promoteSecret: Handler = operation(
  facts,
  async ({ appUid, params, caller }, context) => {
    const { store } = context;
    const now = context.clock.now();
    const filter = { _id: params['webhookUid'] ?? '', appUid };
    const inRotation = { ...filter, 'previousSecret.until': { $gt: now } };
    const promoted = await inTransaction(store, async (session) => {
      const webhook = await store.webhooks.findOneAndUpdate(
        { ...inRotation, 'previousSecret.promoted': false },
        { $set: { 'previousSecret.promoted': true, updatedAt: now } },
        { returnDocument: 'after', session },
      );
      if (webhook === null) return store.webhooks.findOne(inRotation, { session });
      const entry = webhookEntry(webhook, 'webhook.secret_promoted');
      await recordAudit(store, entry, { caller, now, session });
      return webhook;
    });
    if (promoted !== null) return { status: 200, body: await showWebhook(context, promoted) };
    await findWebhook(store, filter);
    throw new AppError('conflict', 'no rotation of the secret is running; rotate it first');
  },
);
