// GET …/events/{eventId}/webhooks: why each webhook of the application gets an event, or does not.
import { inSlices } from '../../lib/concurrency/in-slices.ts';
import { readData } from '../../lib/model/event-payload.ts';
import {
  type FilteredSubscription,
  subscriptionFields,
  type WebhookDocument,
} from '../../lib/model/webhook.ts';
import { explainRecipient, type Outcome, outcomes } from '../../lib/webhooks/explain-recipient.ts';
import { unmetCondition } from '../../lib/webhooks/subscriptions.ts';
import type { Handler } from '../route.ts';
import { listOf, named, objectOf, oneOfTexts, text } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';
import { presentFilter, type WrittenFilter } from '../webhooks/webhook-filter.ts';
import { readEvent } from './get-event.ts';

interface ExplainedWebhook {
  webhookUid: string;
  outcome: Outcome;
  condition: WrittenFilter | null;
}

const outcomeText =
  '`delivery`: the event has a delivery to this webhook. Otherwise the reason why it has none. `test`: a test goes only to the webhook that it tests. `sync`: the event of a sync goes only to its webhook. `created_later`: the webhook is newer than the event. `kind`: the webhook gets notices instead of events of resources, or the reverse; no webhook gets notices about itself. `entity`, `event` and `tenant`: the webhook does not select the entity, the event or the tenant. `filter`: the filter does not match. `erased`: the payload was erased, so the filter cannot be checked. `changed_later`: the webhook selects such events now, so it was changed after the event, or registered just before it.';

const explainedWebhookSchema = named(
  'ExplainedWebhook',
  objectOf<ExplainedWebhook>({
    webhookUid: text,
    outcome: { ...oneOfTexts(outcomes), description: outcomeText },
    condition: {
      type: ['object', 'null'],
      description: 'The first condition of the filter that the event does not meet.',
    },
  }),
);

const facts: Operation = {
  id: 'explainEvent',
  summary: 'Explain which webhooks get an event',
  description:
    'The list has all webhooks of the application, from oldest to newest, with the reason by their present settings.',
  answers: { 200: { description: 'All webhooks', schema: listOf(explainedWebhookSchema) } },
};

type ExplainableWebhook = FilteredSubscription & Pick<WebhookDocument, 'createdAt'>;

/** Not paged, because an application has at most 1,000 webhooks. Throws `not_found`. */
export const explainEvent: Handler = operation(facts, async (request, context) => {
  const { deliveries, webhooks } = context.store;
  const event = await readEvent(request, context);
  const delivered = await deliveries.distinct('webhookUid', { eventId: event._id });
  const recipients = new Set([...event.webhookUids, ...delivered]);
  const unmetOf = unmetCondition(event.erasedAt === null ? readData(event.body) : {});
  const all = webhooks
    .find({ appUid: event.appUid })
    .project<ExplainableWebhook>({ ...subscriptionFields, createdAt: 1 })
    .sort({ _id: 1 });
  const body: ExplainedWebhook[] = [];
  for await (const webhook of inSlices(all)) {
    const isRecipient = recipients.has(webhook._id);
    const { outcome, condition } = explainRecipient(webhook, event, { isRecipient, unmetOf });
    body.push({
      webhookUid: webhook._id,
      outcome,
      condition: presentFilter(condition && [condition]),
    });
  }
  return { status: 200, body };
});
