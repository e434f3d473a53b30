// The search attributes on the server: made by a setup step, checked at readiness.
import { defineSearchAttributeKey } from '@temporalio/common';
import type { ConnectionLike } from '@temporalio/client';
import { searchAttributeTypes } from './names.ts';

type AttributeName = keyof typeof searchAttributeTypes;
const attributeNames = Object.keys(searchAttributeTypes) as AttributeName[];

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

// Temporal's own numbers of the two types (temporal.api.enums.v1.IndexedValueType).
const indexedValueTypes = { Keyword: 2, KeywordList: 7 } as const;

/** Gives the names of the needed search attributes that the namespace lacks. */
export async function findMissingSearchAttributes(
  connection: ConnectionLike,
  namespace: string,
): Promise<AttributeName[]> {
  const present = await connection.operatorService.listSearchAttributes({ namespace });
  return attributeNames.filter((name) => present.customAttributes?.[name] === undefined);
}

/** Registers the search attributes that are missing. Two processes at once may both call it. */
export async function ensureSearchAttributes(
  connection: ConnectionLike,
  namespace: string,
): Promise<void> {
  const missing = await findMissingSearchAttributes(connection, namespace);
  if (missing.length === 0) return;
  try {
    await registerSearchAttributes(connection, namespace, missing);
  } catch (error) {
    // Another process may have registered them between our look and our call.
    if ((await findMissingSearchAttributes(connection, namespace)).length > 0) throw error;
  }
}

/** Registers search attributes, all of them when none are named. */
export async function registerSearchAttributes(
  connection: ConnectionLike,
  namespace: string,
  names: readonly AttributeName[] = attributeNames,
): Promise<void> {
  const searchAttributes = Object.fromEntries(
    names.map((name) => [name, indexedValueTypes[searchAttributeTypes[name]]]),
  );
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}
