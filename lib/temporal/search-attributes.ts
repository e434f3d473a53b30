// Documented in docs/observing.md, "Filters".
import { defineSearchAttributeKey } from '@temporalio/common';

// Words of a text, because SQL stores have only three lists, and the others are in use (ADR 51).
export const appUidsAttribute = defineSearchAttributeKey('AppUids', 'TEXT');
export const eventTypeAttribute = defineSearchAttributeKey('EventType', 'KEYWORD');
export const externalTenantIdAttribute = defineSearchAttributeKey('ExternalTenantId', 'KEYWORD');
export const resourceUidAttribute = defineSearchAttributeKey('ResourceUid', 'KEYWORD');
export const deliveryStateAttribute = defineSearchAttributeKey('DeliveryState', 'KEYWORD');
export const eventIdsAttribute = defineSearchAttributeKey('EventIds', 'KEYWORD_LIST');
export const webhookUidsAttribute = defineSearchAttributeKey('WebhookUids', 'KEYWORD_LIST');
export const failingWebhookUidsAttribute = defineSearchAttributeKey(
  'FailingWebhookUids',
  'KEYWORD_LIST',
);

export const searchAttributes = [
  appUidsAttribute,
  eventTypeAttribute,
  externalTenantIdAttribute,
  resourceUidAttribute,
  deliveryStateAttribute,
  eventIdsAttribute,
  webhookUidsAttribute,
  failingWebhookUidsAttribute,
];
