// What the workflow of a partition shows in the Temporal UI.
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { setCurrentDetails } from '@temporalio/workflow';
import type { PartitionKey } from '../lib/model/partition.ts';
import { describeDeliveries } from '../lib/temporal/current-details.ts';
import type { DeliverySummary, ShownStep } from '../lib/temporal/messages.ts';
import {
  deliveryStateAttribute,
  eventIdsAttribute,
  eventTypeAttribute,
  externalTenantIdAttribute,
} from '../lib/temporal/search-attributes.ts';
import { retryingTo } from './show-deliveries.ts';

/** Returns the search attributes after a step. Without waiting events, the last stay, so that searches find them. */
export function attributesOf(step: ShownStep, webhookUid: string): SearchAttributeUpdatePair[] {
  const { head, waiting } = step;
  return [
    ...(waiting.length === 0 ? [] : [{ key: eventIdsAttribute, value: waiting }]),
    ...sharedAttributes(step),
    ...(head !== null && head.attemptCount > 0
      ? retryingTo([webhookUid])
      : [{ key: deliveryStateAttribute, value: 'delivering' }]),
  ];
}

export function sharedAttributes(step: ShownStep): SearchAttributeUpdatePair[] {
  const { waiting, settled, eventType, externalTenantId } = step;
  if (waiting.length + settled.deliveries === 0) return [];
  return [
    { key: eventTypeAttribute, value: eventType },
    { key: externalTenantIdAttribute, value: externalTenantId },
  ];
}

export function showDetails(
  summary: DeliverySummary,
  { head, waiting }: ShownStep,
  { webhookUid }: PartitionKey,
): void {
  const behind = waiting
    .filter((eventId) => eventId !== head?.eventId)
    .map((eventId) => ({ eventId, webhookUid, state: 'waiting' }) as const);
  setCurrentDetails(describeDeliveries(summary, head === null ? behind : [head, ...behind]));
}
