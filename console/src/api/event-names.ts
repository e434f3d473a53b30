import type { EventName, SubscribedEventName } from '@agent-herald/client';

// The type makes this exhaustive: a new event must be added here.
const subscribed: Readonly<Record<SubscribedEventName, true>> = {
  'agent.created': true,
  'agent.updated': true,
  'agent.deleted': true,
  'context.created': true,
  'context.updated': true,
  'context.deleted': true,
  'contextfile.created': true,
  'contextfile.updated': true,
  'contextfile.deleted': true,
  'webhook.failing': true,
  'webhook.deactivation_scheduled': true,
  'webhook.deactivated': true,
  'webhook.recovered': true,
  'delivery.exhausted': true,
  'apikey.expiring': true,
  'contextfile.processing_overdue': true,
  'user.tokens_revoked': true,
  'user.token_revoked': true,
  'application.tokens_revoked': true,
  'application.key_tokens_revoked': true,
};

/** The events that a webhook can subscribe to. */
export const subscribedEventNames = Object.keys(subscribed) as readonly SubscribedEventName[];

/** All events that are delivered, including tests. */
export const eventNames: readonly EventName[] = [...subscribedEventNames, 'webhook.test'];
