// What workflows are started with: their input, and what operators see of them in the Temporal UI.
import type { WorkflowStartOptions } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { SearchAttributePair } from '@temporalio/common';
import type { EventToDispatch } from '../model/event.ts';
import type { RedeliveryToStart } from '../model/redelivery.ts';
import type { ResumedWebhook } from '../model/webhook.ts';
import { redeliverPageEveryMs } from './messages.ts';
import type { DeliverEventsInput, RedeliverInput } from './messages.ts';
import {
  idsPerSearchAttributeMax,
  redeliverWorkflowId,
  releaseWorkflowId,
  summarizeUid,
} from './names.ts';
import {
  appUidAttribute,
  deliveryStateAttribute,
  eventIdsAttribute,
  eventTypeAttribute,
  externalTenantIdAttribute,
  resourceUidAttribute,
  webhookUidsAttribute,
} from './search-attributes.ts';

type StartOptions = Pick<
  WorkflowStartOptions,
  'typedSearchAttributes' | 'staticSummary' | 'startDelay'
> & { args: unknown[] };

/** Gives the options of a `deliverEvents` that carries events of one application, one at least. */
export function deliverEventsOptions(events: readonly EventToDispatch[]): StartOptions {
  const appUid = events[0]?.appUid ?? '';
  const input: DeliverEventsInput = {
    appUid,
    events: events.map((event) => ({ eventId: event._id, webhookUids: event.webhookUids })),
  };
  const webhookUids = [...new Set(events.flatMap((event) => event.webhookUids))];
  // What the events do not share has no place in an attribute of one value; each event is found by
  // its id all the same, and the API tells the rest.
  const shared: (SearchAttributePair | null)[] = [
    pairIfShared(eventTypeAttribute, events, 'event'),
    pairIfShared(externalTenantIdAttribute, events, 'externalTenantId'),
    pairIfShared(resourceUidAttribute, events, 'resourceUid'),
  ];
  return {
    args: [input],
    typedSearchAttributes: new TypedSearchAttributes([
      { key: appUidAttribute, value: appUid },
      { key: deliveryStateAttribute, value: 'delivering' },
      { key: eventIdsAttribute, value: events.map((event) => event._id) },
      { key: webhookUidsAttribute, value: webhookUids.slice(0, idsPerSearchAttributeMax) },
      ...shared.filter((pair) => pair !== null),
    ]),
    staticSummary: summarize(events, webhookUids.length),
  };
}

function pairIfShared(
  key: typeof eventTypeAttribute,
  events: readonly EventToDispatch[],
  field: 'event' | 'externalTenantId' | 'resourceUid',
): SearchAttributePair | null {
  const value = events[0]?.[field];
  if (value === undefined || events.some((event) => event[field] !== value)) return null;
  return { key, value };
}

function summarize(events: readonly EventToDispatch[], webhookCount: number): string {
  const [first, ...others] = events;
  const webhooks = `${webhookCount} webhook${webhookCount === 1 ? '' : 's'}`;
  if (first === undefined || others.length > 0) return `${events.length} events → ${webhooks}`;
  return `${first.event} ${summarizeUid(first.resourceUid)} → ${webhooks}`;
}

/**
 * Gives the id and options of the `redeliver` that releases what a resumed webhook held. It begins as
 * late as its pages follow each other, so that the last page of a release before it is a second old.
 */
export function releaseOptions(webhook: ResumedWebhook): StartOptions & { workflowId: string } {
  const { _id: webhookUid, appUid, releaseUid } = webhook;
  const source = { kind: 'held', webhookUid, releaseUid } as const;
  return {
    workflowId: releaseWorkflowId(webhook),
    ...redeliverOptions({ appUid, source }, [webhookUid]),
    staticSummary: `deliver what was held → ${webhookUid}`,
    startDelay: redeliverPageEveryMs,
  };
}

/** Gives the id and options of the `redeliver` of a resend, replay or discard. */
export function redeliveryOptions(
  redelivery: RedeliveryToStart,
): StartOptions & { workflowId: string } {
  const { _id: redeliveryUid, appUid, kind, webhookUids } = redelivery;
  const source = { kind: 'redelivery', redeliveryUid } as const;
  const webhooks = `${webhookUids.length} webhook${webhookUids.length === 1 ? '' : 's'}`;
  return {
    workflowId: redeliverWorkflowId(redeliveryUid),
    ...redeliverOptions({ appUid, source }, webhookUids),
    staticSummary: `${kind} ${redeliveryUid} → ${webhooks}`,
  };
}

function redeliverOptions(
  facts: Pick<RedeliverInput, 'appUid' | 'source'>,
  webhookUids: readonly string[],
): Pick<StartOptions, 'args' | 'typedSearchAttributes'> {
  const input: RedeliverInput = { ...facts, after: '', released: 0 };
  return {
    args: [input],
    typedSearchAttributes: new TypedSearchAttributes([
      { key: appUidAttribute, value: facts.appUid },
      { key: webhookUidsAttribute, value: webhookUids.slice(0, idsPerSearchAttributeMax) },
    ]),
  };
}
