// Hands recorded events to Temporal: one workflow each, started at most once however often it is tried.
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Client } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import type { Clock } from '../clock.ts';
import { dispatchLog } from '../logger.ts';
import type { Store } from '../store/connect.ts';
import { markDispatched } from '../store/events.ts';
import type { EventToDispatch } from '../store/events.ts';
import type { DeliverEventsInput } from './messages.ts';
import {
  deliverEventsWorkflow,
  eventWorkflowId,
  eventsTaskQueue,
  idsPerSearchAttributeMax,
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
  /** Resolves when nothing is being started any more. */
  drained(): Promise<void>;
}

/** Makes the dispatcher of a process. */
export function createDispatcher(ports: DispatcherPorts): Dispatcher {
  const waiting: EventToDispatch[] = [];
  const running = new Set<Promise<void>>();

  async function startNext(event: EventToDispatch): Promise<void> {
    try {
      await startEvent(ports, event);
    } catch (error) {
      dispatchLog.warn({ eventId: event._id, appUid: event.appUid, err: error }, 'dispatch.failed');
    }
  }

  function pump(): void {
    while (running.size < startsInFlightMax) {
      const event = waiting.shift();
      if (event === undefined) return;
      const start = startNext(event).finally(() => {
        running.delete(start);
        pump();
      });
      running.add(start);
    }
  }

  return {
    dispatch(events) {
      const room = waitingMax - waiting.length;
      waiting.push(...events.filter((event) => event.webhookUids.length > 0).slice(0, room));
      pump();
    },
    start: (event) => startEvent(ports, event),
    async drained() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/**
 * Starts an event's workflow and marks the event. The workflow's id comes from the event, so a
 * second start joins the running workflow (USE_EXISTING) or is refused because it ended
 * (REJECT_DUPLICATE); both mean that the event is taken care of.
 */
async function startEvent(ports: DispatcherPorts, event: EventToDispatch): Promise<void> {
  const { client, store, clock } = ports;
  try {
    await client.withDeadline(Date.now() + startTimeoutMs, () =>
      client.workflow.start(deliverEventsWorkflow, {
        taskQueue: eventsTaskQueue,
        workflowId: eventWorkflowId(event._id),
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'USE_EXISTING',
        workflowTaskTimeout: workflowTaskTimeoutMs,
        requestEagerStart: ports.eager,
        args: [toInput(event)],
        typedSearchAttributes: toSearchAttributes(event),
        staticSummary: summarize(event),
      }),
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  await markDispatched(store, event._id, clock.now());
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
