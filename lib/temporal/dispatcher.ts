// Hands work to Temporal, one workflow an event or release, started at most once however often it is tried.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Client, WorkflowStartOptions } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { Clock } from '../clock.ts';
import { dispatchLog } from '../logger.ts';
import type { Store } from '../store/connect.ts';
import { markDispatched } from '../store/events.ts';
import type { EventToDispatch } from '../store/events.ts';
import { markReleased } from '../store/webhooks.ts';
import type { ResumedWebhook } from '../store/webhooks.ts';
import type { DeliverEventsInput, RedeliverInput } from './messages.ts';
import {
  deliverEventsWorkflow,
  eventWorkflowId,
  eventsTaskQueue,
  idsPerSearchAttributeMax,
  redeliverWorkflow,
  releaseWorkflowId,
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

const startTimeoutMs = 5_000;
// An API process that is killed holding an eagerly started task delays its event by this much.
const workflowTaskTimeoutMs = 5_000;
const startsInFlightMax = 16;
// What does not fit is left to the relay, which finds it in the database.
const waitingMax = 1_000;

export interface DispatcherPorts {
  client: Client;
  store: Store;
  clock: Clock;
  /** True where a workflow worker runs on the client's own connection, in this process. */
  eager: boolean;
}

/** Starts the workflows of events. */
export interface Dispatcher {
  /** Starts soon, in the background, events that are committed. A failure is the relay's to mend. */
  dispatch(events: readonly EventToDispatch[]): void;
  /** Starts one event's workflow and notes it; one that exists already counts as started. */
  start(event: EventToDispatch): Promise<void>;
  /** Releases what a webhook held, in the background. A failure is the relay's to mend. */
  release(webhook: ResumedWebhook): void;
  /** Starts the release of a webhook's held deliveries and notes it; once a resume. */
  startRelease(webhook: ResumedWebhook): Promise<void>;
  /** Resolves when nothing is being started any more. */
  drained(): Promise<void>;
}

/** Makes the dispatcher of a process. */
export function createDispatcher(ports: DispatcherPorts): Dispatcher {
  const waiting: EventToDispatch[] = [];
  const running = new Set<Promise<void>>();

  function run(start: Promise<void>, ids: Record<string, string>): void {
    const entry = start
      .catch((error: unknown) => dispatchLog.warn({ ...ids, err: error }, 'dispatch.failed'))
      .finally(() => {
        running.delete(entry);
        pump();
      });
    running.add(entry);
  }

  function pump(): void {
    while (running.size < startsInFlightMax) {
      const event = waiting.shift();
      if (event === undefined) return;
      run(startEvent(ports, event), { eventId: event._id, appUid: event.appUid });
    }
  }

  return {
    dispatch(events) {
      const room = waitingMax - waiting.length;
      waiting.push(...events.filter((event) => event.webhookUids.length > 0).slice(0, room));
      pump();
    },
    start: (event) => startEvent(ports, event),
    release: (webhook) =>
      run(startRelease(ports, webhook), { webhookUid: webhook._id, appUid: webhook.appUid }),
    startRelease: (webhook) => startRelease(ports, webhook),
    async drained() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Starts an event's workflow, whose id comes from the event, and marks the event. */
async function startEvent(ports: DispatcherPorts, event: EventToDispatch): Promise<void> {
  await startOnce(ports.client, deliverEventsWorkflow, {
    workflowId: eventWorkflowId(event._id),
    requestEagerStart: ports.eager,
    args: [toInput(event)],
    typedSearchAttributes: toSearchAttributes(event),
    staticSummary: summarize(event),
  });
  await markDispatched(ports.store, event._id, ports.clock.now());
}

/** Starts the release of what a webhook held; a second start for the same resume is refused by its id. */
async function startRelease(ports: DispatcherPorts, webhook: ResumedWebhook): Promise<void> {
  const { _id: webhookUid, appUid, resumedAt } = webhook;
  const input: RedeliverInput = { appUid, webhookUid, after: '', released: 0 };
  await startOnce(ports.client, redeliverWorkflow, {
    workflowId: releaseWorkflowId(webhookUid, resumedAt),
    args: [input],
    typedSearchAttributes: new TypedSearchAttributes([
      { key: appUidAttribute, value: appUid },
      { key: webhookUidsAttribute, value: [webhookUid] },
    ]),
    staticSummary: `what was held → ${webhookUid}`,
  });
  await markReleased(ports.store, webhook);
}

/**
 * Starts a workflow at most once: a second start joins the running one (USE_EXISTING) or is refused
 * because it ended (REJECT_DUPLICATE); both mean that the work is taken care of.
 */
async function startOnce(
  client: Client,
  type: string,
  options: Omit<WorkflowStartOptions, 'taskQueue'>,
): Promise<void> {
  try {
    await client.withDeadline(Date.now() + startTimeoutMs, () =>
      client.workflow.start(type, {
        ...options,
        taskQueue: eventsTaskQueue,
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowTaskTimeout: workflowTaskTimeoutMs,
      }),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

function toInput(event: EventToDispatch): DeliverEventsInput {
  return {
    appUid: event.appUid,
    events: [{ eventId: event._id, webhookUids: event.webhookUids }],
  };
}

function toSearchAttributes(event: EventToDispatch): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: appUidAttribute, value: event.appUid },
    { key: eventTypeAttribute, value: event.event },
    { key: externalTenantIdAttribute, value: event.externalTenantId },
    { key: resourceUidAttribute, value: event.resourceUid },
    { key: deliveryStateAttribute, value: 'delivering' },
    { key: eventIdsAttribute, value: [event._id] },
    { key: webhookUidsAttribute, value: event.webhookUids.slice(0, idsPerSearchAttributeMax) },
  ]);
}

function summarize(event: EventToDispatch): string {
  const count = event.webhookUids.length;
  return `${event.event} ${event.resourceUid} → ${count} webhook${count === 1 ? '' : 's'}`;
}
