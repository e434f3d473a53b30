// Why an event does or does not go to a webhook, for people. Recording decides with the same functions.
import { testEventName } from '../model/event-name.ts';
import type { EventDocument } from '../model/event.ts';
import type { FilterCondition, FilteredSubscription, WebhookDocument } from '../model/webhook.ts';
import { mismatchOf } from './subscriptions.ts';

export const outcomes = [
  'delivery',
  'test',
  'sync',
  'created_later',
  'kind',
  'entity',
  'event',
  'tenant',
  'filter',
  'erased',
  'changed_later',
] as const;
export type Outcome = (typeof outcomes)[number];

export interface Explanation {
  outcome: Outcome;
  /** The first condition of the filter that the event does not meet, if that is the reason. */
  condition: FilterCondition | null;
}

type ExplainedEvent = Pick<
  EventDocument,
  'event' | 'resourceUid' | 'externalTenantId' | 'erasedAt' | 'syncUid' | 'createdAt'
>;

interface Recorded {
  /** Whether the event was recorded for the webhook, or sent to it later. */
  isRecipient: boolean;
  unmetOf: (filter: readonly FilterCondition[] | null) => FilterCondition | null;
}

/** Explains with the present settings of the webhook; those of the time of the event are not kept. */
export function explainRecipient(
  webhook: FilteredSubscription & Pick<WebhookDocument, 'createdAt'>,
  event: ExplainedEvent,
  { isRecipient, unmetOf }: Recorded,
): Explanation {
  const because = (outcome: Outcome): Explanation => ({ outcome, condition: null });
  if (isRecipient) return because('delivery');
  const { event: name, resourceUid, externalTenantId } = event;
  if (name === testEventName) return because('test');
  if (event.syncUid !== undefined) return because('sync');
  if (webhook.createdAt > event.createdAt) return because('created_later');
  const mismatch = mismatchOf(webhook, { event: name, resourceUid, externalTenantId });
  if (mismatch !== null) return because(mismatch);
  if (webhook.filter !== null && event.erasedAt !== null) return because('erased');
  const condition = unmetOf(webhook.filter);
  return condition === null ? because('changed_later') : { outcome: 'filter', condition };
}
