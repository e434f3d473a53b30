import { AppError } from '../../lib/platform/errors.ts';
import { newId } from '../../lib/platform/ids.ts';
import type { StoredWebhook } from '../../lib/model/webhook.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { isRepeat, runOnce } from '../../lib/mongo/idempotency.ts';
import { secretLocation } from '../../lib/webhooks/secrets.ts';
import type { ApiContext } from '../context.ts';
import type { Handler } from '../route.ts';
import { requiresChallenge, sendsAnew } from './challenge-receiver.ts';
import { createdWebhookSchema, showWebhook } from './present-webhook.ts';
import { secretDetails, webhookDetails, webhookEntry } from './webhook-audit.ts';
import { checkCarrier } from './credential-fields.ts';
import { acceptSecret } from './secret-field.ts';
import { type CreateWebhookBody, readFields } from './webhook-fields.ts';
import { checkTogether } from './webhook-kind.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'createWebhook',
  summary: 'Create a webhook',
  example: {
    url: 'https://hooks.example.com/agents',
    entities: ['agent', 'context', 'contextfile'],
  },
  answers: {
    201: {
      description: 'The webhook and its secret, which is shown only once',
      schema: createdWebhookSchema,
    },
  },
  problems: ['invalid_webhook_url', 'challenge_failed', 'limit_reached'],
  takesIdempotencyKey: true,
};

/**
 * Throws `invalid_webhook_url`, `invalid_request`, `challenge_failed`, or `limit_reached` if the application has too
 * many webhooks.
 */
export const createWebhook: Handler<CreateWebhookBody> = operation(
  facts,
  async (request, context) => {
    const { appUid, caller } = request;
    const { secret: given, ...body } = request.body;
    const { store, secretBox, config, clock } = context;
    const { webhooksPerAppMax } = config;
    const secret = acceptSecret(given);
    const now = clock.now();
    const once = { key: request.idempotencyKey(), secretBox, now };
    const draft = { _id: newId('whk', now), appUid, body, secret, now };
    if (body.active !== false && (await requiresChallenge(store, appUid))) {
      if (!(await isRepeat(store, once.key))) await proveControl(context, draft);
    }
    const { answer } = await runOnce(store, once, async (session) => {
      const webhook = newWebhook(context, draft);
      const counted = await store.apps.updateOne(
        { _id: appUid, webhookCount: { $lt: webhooksPerAppMax } },
        { $inc: { webhookCount: 1 } },
        { session },
      );
      if (counted.matchedCount === 0) {
        const detail = `an application can have at most ${webhooksPerAppMax} webhooks`;
        throw new AppError('limit_reached', detail);
      }
      await store.webhooks.insertOne(webhook, { session });
      const entry = webhookEntry(webhook, 'webhook.created', {
        ...webhookDetails(body, webhook),
        ...secretDetails(given),
      });
      await recordAudit(store, entry, { caller, now, session });
      return { ...(await showWebhook(context, webhook, session)), secret };
    });
    const location = `${request.appPath}/webhooks/${answer.uid}`;
    return { status: 201, body: answer, headers: { location } };
  },
);

async function proveControl(context: ApiContext, draft: NewWebhook): Promise<void> {
  const webhook = newWebhook(context, draft);
  if (sendsAnew({ ...webhook, active: false }, webhook)) await context.challengeReceiver(webhook);
}

interface NewWebhook {
  _id: string;
  appUid: string;
  body: Omit<CreateWebhookBody, 'secret'>;
  secret: string;
  now: Date;
}

function newWebhook(context: ApiContext, draft: NewWebhook): StoredWebhook {
  const { _id, appUid, body, secret, now } = draft;
  const { kind = 'resources', ...written } = body;
  const fields = readFields(context, written, { _id, appUid, kind });
  checkTogether({ ...fields, kind });
  checkCarrier(fields);
  return {
    kind,
    entities: [],
    name: null,
    description: null,
    metadata: null,
    events: null,
    externalTenantIds: null,
    retryScheduleMs: null,
    ordering: 'parallel',
    headers: null,
    auth: null,
    tls: null,
    ratePerSecond: null,
    ratePerSecondPerTenant: null,
    filter: null,
    signatures: ['v1'],
    cloudEvents: false,
    active: true,
    ...fields,
    _id,
    appUid,
    url: fields.url ?? body.url,
    secret: context.secretBox.seal(secret, secretLocation({ appUid, _id })),
    previousSecret: null,
    disabledReason: null,
    failingSince: null,
    lastExhaustedAt: null,
    notified: null,
    exhaustedNotice: null,
    exhaustedUnreported: 0,
    lastTriggeredAt: null,
    releaseUid: null,
    discardCount: 0,
    discardBefore: null,
    createdAt: now,
    updatedAt: now,
  };
}
