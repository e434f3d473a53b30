import { AppError } from '../../lib/platform/errors.ts';
import type { PreviousSecret, WebhookDocument } from '../../lib/model/webhook.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { runOnce } from '../../lib/mongo/idempotency.ts';
import { allSecrets, secretLocation } from '../../lib/webhooks/secrets.ts';
import type { Handler } from '../route.ts';
import { overlapSecondsDefault, overlapSecondsField } from '../http/overlap-field.ts';
import { validator } from '../http/validate.ts';
import { createdWebhookSchema, showWebhook } from './present-webhook.ts';
import { acceptSecret, secretField } from './secret-field.ts';
import { secretDetails, webhookEntry } from './webhook-audit.ts';
import { findWebhook } from './webhook-fields.ts';
import { operation, type Operation } from '../http/operation.ts';

interface RotateSecretBody {
  overlapSeconds?: number;
  secret?: string;
}

export const rotateSecretBody = validator<RotateSecretBody>({
  properties: {
    overlapSeconds: {
      ...overlapSecondsField,
      description:
        'How long the old secret keeps signing. The default is one day. 0 ends all old secrets immediately.',
    },
    secret: secretField,
  },
});

const facts: Operation = {
  id: 'rotateWebhookSecret',
  summary: 'Rotate the secret of a webhook',
  description: 'The old secret keeps signing during an overlap.',
  example: { overlapSeconds: 86_400 },
  answers: {
    200: {
      description: 'The webhook and its new secret, which is shown only once',
      schema: createdWebhookSchema,
    },
  },
  problems: ['conflict'],
  takesIdempotencyKey: true,
};

/**
 * Throws `not_found`, `invalid_request`, or `conflict` for an overlap while another rotation has neither ended nor been
 * promoted.
 */
export const rotateSecret: Handler<RotateSecretBody> = operation(
  facts,
  async (request, context) => {
    const { appUid, params, body, caller } = request;
    const { store, secretBox } = context;
    const _id = params['webhookUid'] ?? '';
    const overlapMs = (body.overlapSeconds ?? overlapSecondsDefault) * 1_000;
    const now = context.clock.now();
    const once = { key: request.idempotencyKey(), secretBox, now };
    const { answer } = await runOnce(store, once, async (session) => {
      const webhook = await findWebhook(store, { _id, appUid }, session);
      const secret = acceptSecret(body.secret, () => allSecrets(secretBox, webhook));
      const fields = {
        secret: secretBox.seal(secret, secretLocation(webhook)),
        previousSecret: overlapMs === 0 ? null : keepSecret(webhook, { now, overlapMs }),
        updatedAt: now,
      };
      await store.webhooks.updateOne({ _id, appUid }, { $set: fields }, { session });
      const details = { overlapSeconds: overlapMs / 1_000, ...secretDetails(body.secret) };
      const entry = webhookEntry(webhook, 'webhook.secret_rotated', details);
      await recordAudit(store, entry, { caller, now, session });
      return { ...(await showWebhook(context, { ...webhook, ...fields }, session)), secret };
    });
    return { status: 200, body: answer };
  },
);

function keepSecret(
  { secret, previousSecret }: WebhookDocument,
  { now, overlapMs }: { now: Date; overlapMs: number },
): PreviousSecret {
  if (previousSecret !== null && previousSecret.until > now && !previousSecret.promoted) {
    const until = previousSecret.until.toISOString();
    const detail = `a rotation is running until ${until}; promote its secret first, or rotate with overlapSeconds 0`;
    throw new AppError('conflict', detail);
  }
  return { secret, until: new Date(now.getTime() + overlapMs), promoted: false };
}
