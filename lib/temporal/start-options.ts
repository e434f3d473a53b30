import type { WorkflowStartOptions } from '@temporalio/client';
import { type SearchAttributePair, TypedSearchAttributes } from '@temporalio/common';
import { dispatchLimits, jobLimits } from '../limits.ts';
import type { EventToDispatch } from '../model/event.ts';
import type { JobToStart } from '../model/job.ts';
import type { DeliverEventsInput } from './messages.ts';
import type { RunJobInput } from './job-messages.ts';
import { fairPriority } from './fair-priority.ts';
import { jobWorkflowId, summarizeUid } from './names.ts';
import {
  appUidsAttribute,
  deliveryStateAttribute,
  eventIdsAttribute,
  eventTypeAttribute,
  externalTenantIdAttribute,
  resourceUidAttribute,
  webhookUidsAttribute,
} from './search-attributes.ts';

const { idsPerSearchAttributeMax } = dispatchLimits;

type StartOptions = Pick<
  WorkflowStartOptions,
  'typedSearchAttributes' | 'staticSummary' | 'startDelay' | 'priority'
> & { args: unknown[] };

/** Returns the options to start `deliverEvents` for at least one event, or for a page of a job. */
export function deliverEventsOptions(
  events: readonly EventToDispatch[],
  rest: Pick<DeliverEventsInput, 'jobUid' | 'trace'> = {},
): StartOptions {
  const appUids = [...new Set(events.map((event) => event.appUid))];
  const input: DeliverEventsInput = {
    events: events.map(({ appUid, _id: eventId, webhookUids }) => ({
      appUid,
      eventId,
      webhookUids,
    })),
    ...rest,
  };
  const eventIds = events.map((event) => event._id);
  const webhookUids = [...new Set(events.flatMap((event) => event.webhookUids))];
  // A single-valued attribute is set only if all events share the value.
  const shared: (SearchAttributePair | null)[] = [
    pairIfShared(eventTypeAttribute, events, 'event'),
    pairIfShared(externalTenantIdAttribute, events, 'externalTenantId'),
    pairIfShared(resourceUidAttribute, events, 'resourceUid'),
  ];
  return {
    args: [input],
    typedSearchAttributes: new TypedSearchAttributes([
      { key: appUidsAttribute, value: appUids.join(' ') },
      { key: deliveryStateAttribute, value: 'delivering' },
      { key: eventIdsAttribute, value: eventIds.slice(0, idsPerSearchAttributeMax) },
      { key: webhookUidsAttribute, value: webhookUids.slice(0, idsPerSearchAttributeMax) },
      ...shared.filter((pair) => pair !== null),
    ]),
    staticSummary: summarize(events, webhookUids.length),
    // A workflow of several applications takes the turn of none of them.
    ...(appUids.length === 1 ? fairPriority(appUids[0] ?? '') : {}),
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

/** Returns the ID and options of a job's `runJob`, starting at `page`. A release starts a second after its resume. */
export function jobOptions(job: JobToStart, page?: number): StartOptions & { workflowId: string } {
  const { _id: jobUid, appUid, kind, webhookUids } = job;
  const input: RunJobInput = { jobUid, kind, appUid, ...(page === undefined ? {} : { page }) };
  const value = webhookUids.slice(0, idsPerSearchAttributeMax);
  const to = webhookUids.length > 1 ? `${webhookUids.length} webhooks` : webhookUids[0];
  return {
    workflowId: jobWorkflowId(jobUid),
    args: [input],
    typedSearchAttributes: new TypedSearchAttributes([
      { key: appUidsAttribute, value: appUid },
      ...(value.length === 0 ? [] : [{ key: webhookUidsAttribute, value }]),
    ]),
    staticSummary: `${kind} ${jobUid}${to === undefined ? '' : ` → ${to}`}`,
    ...fairPriority(appUid),
    ...(kind === 'release' ? { startDelay: jobLimits.pageEveryMs } : {}),
  };
}
