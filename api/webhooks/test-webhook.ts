import { AppError } from '../../lib/platform/errors.ts';
import { newId } from '../../lib/platform/ids.ts';
import {
  type DeliveredEventName,
  deliveredEventNames,
  testEventName,
} from '../../lib/model/event-name.ts';
import { renderPayload } from '../../lib/model/event-payload.ts';
import { newEvent, recipientFields } from '../../lib/model/event.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import { matchesKind } from '../../lib/webhooks/subscriptions.ts';
import { sampleDataOf, testDataOf } from '../event-types/event-catalogue.ts';
import { invalidRequest, validator } from '../http/validate.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import type { Handler } from '../route.ts';
import { dispatch } from '../changes/record-change.ts';
import { webhookEntry } from './webhook-audit.ts';
import { findWebhook } from './webhook-fields.ts';
import { named, objectOf, oneOfTexts, text } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';

interface TestWebhookBody {
  event?: DeliveredEventName;
}

export const testWebhookBody = validator<TestWebhookBody>({
  properties: {
    event: {
      type: 'string',
      enum: [...deliveredEventNames],
      description:
        'The event whose sample is sent. The default is `webhook.test`. The webhook need not be subscribed to the event, but its kind must match.',
    },
  },
});

const testedSchema = named(
  'TestedWebhook',
  objectOf<{ eventId: string; event: string; webhookUid: string }>({
    eventId: text,
    event: oneOfTexts(deliveredEventNames),
    webhookUid: text,
  }),
);

const facts: Operation = {
  id: 'testWebhook',
  summary: 'Send a test event to a webhook',
  example: { event: 'agent.created' },
  answers: { 202: { description: 'The event, which is being delivered', schema: testedSchema } },
  problems: ['conflict'],
};

/**
 * A sample is recorded as a test, whatever event its payload names, so it is in no list, order or replay of events.
 * Throws `not_found`, `invalid_request` for an event of another kind, or `conflict` if the webhook is paused.
 */
export const testWebhook: Handler<TestWebhookBody> = operation(facts, async (request, context) => {
  const { appUid, params, body, caller } = request;
  const { event: name = testEventName } = body;
  const { store } = context;
  const readAt = context.clock.now();
  const webhook = await findWebhook(store, { _id: params['webhookUid'] ?? '', appUid });
  refuseOtherKind(webhook, name);
  if (!webhook.active) throw new AppError('conflict', 'the webhook is paused; resume it first');
  const now = context.clock.now();
  const eventId = newId('evt', now);
  const data = name === testEventName ? testDataOf(webhook._id) : sampleDataOf(name, appUid);
  const payload = { eventId, event: name, timestamp: now, appUid, data: { ...data }, isTest: true };
  const event = newEvent(
    {
      _id: eventId,
      appUid,
      event: testEventName,
      entity: 'webhook',
      resourceUid: webhook._id,
      externalTenantId: 'test',
      body: renderPayload(payload),
      ...recipientFields([webhook]),
      firstAttempt: context.earlyAttempts?.claim() ?? null,
    },
    now,
  );
  await inTransaction(store, async (session) => {
    await store.events.insertOne(event, { session });
    const entry = webhookEntry(webhook, 'webhook.tested', { eventId, event: name });
    await recordAudit(store, entry, { caller, now, session });
  });
  dispatch(context, { recorded: [{ event, subscribers: [webhook] }], readAt });
  return { status: 202, body: { eventId, event: name, webhookUid: webhook._id } };
});

function refuseOtherKind(webhook: WebhookDocument, event: DeliveredEventName): void {
  if (event === testEventName || matchesKind(webhook, { event, resourceUid: '' })) return;
  const detail = `event is ${event}, which webhooks of the kind ${webhook.kind} do not get`;
  throw invalidRequest([{ pointer: '#/event', code: 'not_of_kind', detail }]);
}
