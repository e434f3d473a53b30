// POST …/webhooks/{webhookUid}/test: sends a test event to this webhook alone.
import { AppError } from '../../lib/platform/errors.ts';
import { newId } from '../../lib/platform/ids.ts';
import { testEventName } from '../../lib/model/event-name.ts';
import { renderPayload } from '../../lib/model/event-payload.ts';
import type { EventDocument } from '../../lib/model/event.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { inTransaction } from '../../lib/mongo/connect.ts';
import type { Handler } from '../router.ts';
import { dispatch } from '../resources/record-change.ts';
import { webhookEntry } from './webhook-audit.ts';
import { findWebhook } from './webhook-fields.ts';

/** Throws `not_found`, or `conflict` when the webhook is paused. */
export const testWebhook: Handler = async (request, context) => {
  const { appUid, params, caller } = request;
  const { store } = context;
  const webhook = await findWebhook(store, { _id: params['webhookUid'] ?? '', appUid });
  if (!webhook.active) throw new AppError('conflict', 'the webhook is paused; resume it first');
  const now = context.clock.now();
  const eventId = newId('evt', now);
  const data = { uid: webhook._id, externalTenantId: 'test', test: true };
  const event: EventDocument = {
    _id: eventId,
    appUid,
    event: testEventName,
    entity: 'webhook',
    resourceUid: webhook._id,
    externalTenantId: data.externalTenantId,
    sequence: null,
    order: [],
    timestamp: now,
    body: renderPayload({ eventId, event: testEventName, timestamp: now, appUid, data }),
    erasedAt: null,
    webhookUids: [webhook._id],
    workflowId: context.dispatcher.chooseWorkflow(eventId),
    dispatchedAt: null,
    headStart: context.headStart?.claim() ?? null,
    createdAt: now,
  };
  await inTransaction(store, async (session) => {
    await store.events.insertOne(event, { session });
    const entry = webhookEntry(webhook, 'webhook.tested', { eventId });
    await recordAudit(store, entry, { caller, now, session });
  });
  dispatch(context, [{ event, subscribers: [webhook] }]);
  return { status: 202, body: { eventId, event: testEventName, webhookUid: webhook._id } };
};
