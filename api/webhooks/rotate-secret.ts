// POST …/webhooks/{webhookUid}/secret/rotate: a new signing secret, with the old one for a while.
import { newWebhookSecret } from '../../lib/webhooks/signature.ts';
import { AppError } from '../../lib/platform/errors.ts';
import type { PreviousSecret, WebhookDocument } from '../../lib/model/webhook.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { countHeld } from '../../lib/deliveries/held-counts.ts';
import { runOnce } from '../../lib/mongo/idempotency.ts';
import { secretPlace } from '../../lib/webhooks/webhooks.ts';
import type { Handler } from '../router.ts';
import { validator } from '../http/validate.ts';
import { presentWebhook, viewNow } from './present-webhook.ts';
import { webhookEntry } from './webhook-audit.ts';
import { noSuchWebhook } from './webhook-fields.ts';

export interface RotateSecretBody {
  overlapSeconds?: number;
}

const overlapSecondsDefault = 24 * 60 * 60;
const overlapSecondsMax = 7 * 24 * 60 * 60;

export const rotateSecretBody = validator<RotateSecretBody>({
  type: 'object',
  additionalProperties: false,
  properties: { overlapSeconds: { type: 'integer', minimum: 0, maximum: overlapSecondsMax } },
});

/**
 * Makes a new secret and shows it, this once. For the overlap `webhook-signature` carries both, the
 * new one first, and `X-Webhook-Signature` stays with the old one until the overlap ends or it is
 * promoted. Throws `not_found`, or `conflict` while a rotation before is neither over nor promoted
 * and this one is not to end it at once.
 */
export const rotateSecret: Handler<RotateSecretBody> = async (request, context) => {
  const { appUid, params, body, caller } = request;
  const { store, secretBox } = context;
  const _id = params['webhookUid'] ?? '';
  const secret = newWebhookSecret();
  const view = viewNow(context);
  const overlapMs = (body.overlapSeconds ?? overlapSecondsDefault) * 1_000;
  const { answer } = await runOnce(
    store,
    { key: request.idempotencyKey(), secretBox, now: view.now },
    async (session) => {
      const webhook = await store.webhooks.findOne({ _id, appUid }, { session });
      if (webhook === null) throw noSuchWebhook();
      const fields = {
        secret: secretBox.seal(secret, secretPlace(webhook)),
        previousSecret: overlapMs === 0 ? null : keepSecret(webhook, { now: view.now, overlapMs }),
        updatedAt: view.now,
      };
      await store.webhooks.updateOne({ _id, appUid }, { $set: fields }, { session });
      const details = { overlapSeconds: overlapMs / 1_000 };
      const entry = webhookEntry(webhook, 'webhook.secret_rotated', details);
      await recordAudit(store, entry, { caller, now: view.now, session });
      const heldCount = await countHeld(store, webhook);
      return { ...presentWebhook({ ...webhook, ...fields }, view, heldCount), secret };
    },
  );
  return { status: 200, body: answer };
};

function keepSecret(
  { secret, previousSecret }: WebhookDocument,
  { now, overlapMs }: { now: Date; overlapMs: number },
): PreviousSecret {
  if (previousSecret !== null && previousSecret.until > now && !previousSecret.promoted) {
    const until = previousSecret.until.toISOString();
    throw new AppError(
      'conflict',
      `a rotation is under way until ${until}: promote its secret first, or rotate with overlapSeconds 0`,
    );
  }
  return { secret, until: new Date(now.getTime() + overlapMs), promoted: false };
}
