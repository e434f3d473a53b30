import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { coalesce } from '../concurrency/coalesce.ts';
import { dispatchLimits } from '../limits.ts';
import { claimEvents, markDispatched } from '../events/events.ts';
import { markJobStarted } from '../jobs/jobs.ts';
import { isNotice } from '../model/event-name.ts';
import type { EventToDispatch } from '../model/event.ts';
import type { JobToStart } from '../model/job.ts';
import type { Store } from '../mongo/connect.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { instruments } from '../telemetry/instruments.ts';
import {
  batchWorkflowId,
  deliverEventsWorkflow,
  eventsTaskQueue,
  eventWorkflowId,
  runJobWorkflow,
} from '../temporal/names.ts';
import { deliverEventsOptions, jobOptions } from '../temporal/start-options.ts';
import { traceStart } from './trace-start.ts';

const startTimeoutMs = 5_000;
// The linger is much shorter than the grace period of the relay.
const marks = { itemsPerCallMax: 200, concurrentCallsMax: 2, lingerMs: 100 };

export interface WorkflowPorts {
  client: Client;
  store: Store;
  clock: Clock;
  /** Whether a workflow worker of this process shares the client's connection. */
  eager: boolean;
}

/** `tookMs` is the time that Temporal took. `marked` resolves when the start is recorded. */
interface StartedWorkflow {
  tookMs: number;
  marked: Promise<void>;
}

/** Starts the workflows of events and jobs, each at most once. */
export class WorkflowStarts {
  readonly #ports: WorkflowPorts;
  readonly #mark: (eventIds: readonly string[]) => Promise<void>;

  constructor(ports: WorkflowPorts) {
    this.#ports = ports;
    this.#mark = coalesce(marks, async (batches: readonly (readonly string[])[]) => {
      await markDispatched(ports.store, batches.flat(), ports.clock.now());
      return batches.map(() => undefined);
    });
  }

  /**
   * Claims events and starts a workflow for them: its own for a single event, otherwise a shared one. All `events` have
   * the same workflow ID or none. Skips events claimed by another process.
   */
  async startEvents(
    events: readonly EventToDispatch[],
    by: 'dispatch' | 'relay',
  ): Promise<StartedWorkflow> {
    const { workflowId, claimed } = await this.#claim(events);
    if (claimed.length === 0) return { tookMs: 0, marked: Promise.resolve() };
    const { clock, eager } = this.#ports;
    const beganAtMs = performance.now();
    const isFirst = await traceStart({ workflowId, events: claimed, now: clock.now() }, (trace) =>
      startWorkflow(this.#ports.client, deliverEventsWorkflow, {
        workflowId,
        requestEagerStart: eager,
        ...deliverEventsOptions(claimed, trace === undefined ? {} : { trace }),
      }),
    );
    const tookMs = performance.now() - beganAtMs;
    // Only the relay starts notices; counted, they would look like failed starts.
    const changes = claimed.filter(({ event }) => !isNotice(event));
    if (isFirst && changes.length > 0) instruments.eventsStarted.add(changes.length, { by });
    return { tookMs, marked: this.#mark(claimed.map((event) => event._id)) };
  }

  async startJob(job: JobToStart): Promise<void> {
    const { client, store, clock } = this.#ports;
    await startWorkflow(client, runJobWorkflow, jobOptions(job));
    await markJobStarted(store, job._id, clock.now());
  }

  async #claim(
    events: readonly EventToDispatch[],
  ): Promise<{ workflowId: string; claimed: readonly EventToDispatch[] }> {
    const { store, clock } = this.#ports;
    const [first] = events;
    if (first !== undefined && first.workflowId !== null) {
      return { workflowId: first.workflowId, claimed: events };
    }
    const workflowId =
      first !== undefined && events.length === 1
        ? eventWorkflowId(first)
        : batchWorkflowId(newId('bat', clock.now()));
    return { workflowId, claimed: await claimEvents(store, events, workflowId) };
  }
}

/**
 * Starts a workflow unless its ID is running, or has ended without `ALLOW_DUPLICATE`. Returns whether it did; rejects
 * without a response in 5 s.
 */
export async function startWorkflow(
  client: Client,
  type: string,
  options: Omit<WorkflowStartOptions, 'taskQueue'>,
): Promise<boolean> {
  try {
    await client.withDeadline(Date.now() + startTimeoutMs, () =>
      client.workflow.start(type, {
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        ...options,
        workflowIdConflictPolicy: 'FAIL',
        taskQueue: eventsTaskQueue,
        workflowTaskTimeout: dispatchLimits.workflowTaskTimeoutMs,
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
