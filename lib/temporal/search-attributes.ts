// Documented in docs/observing.md, "Filters".
import { defineSearchAttributeKey } from '@temporalio/common';

export const appUidAttribute = defineSearchAttributeKey('AppUid', 'KEYWORD');
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
  appUidAttribute,
  eventTypeAttribute,
  externalTenantIdAttribute,
  resourceUidAttribute,
  deliveryStateAttribute,
  eventIdsAttribute,
  webhookUidsAttribute,
  failingWebhookUidsAttribute,
];
