import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Clock } from '../platform/clock.ts';
import { coalesce } from '../concurrency/coalesce.ts';
import { dispatchLimits } from '../limits.ts';
import { newId } from '../platform/ids.ts';
import { dispatchLog } from '../platform/logger.ts';
import type { EventToDispatch } from '../model/event.ts';
import type { JobToStart } from '../model/job.ts';
import type { Store } from '../mongo/connect.ts';
import { claimEvents, markDispatched } from '../events/events.ts';
import { markJobStarted } from '../deliveries/jobs.ts';
import {
  batchWorkflowId,
  deliverEventsWorkflow,
  eventWorkflowId,
  runJobWorkflow,
} from '../temporal/names.ts';
import { startOnce } from '../temporal/start-once.ts';
import { deliverEventsOptions, jobOptions } from '../temporal/start-options.ts';
import { StartPace } from './start-pace.ts';
import { WaitingEvents } from './waiting-events.ts';

const { startsAtOnceMax, eventsWaitingMax } = dispatchLimits;
// A workflow costs as much as ten deliveries. So only as many events a second as the pace allows get their own; others
// share workflows, 2.5 times fewer: the fewer there are, the more events each has (docs/adr/0008).
const burstSeconds = 0.4;
const aloneCost = 1;
const sharedCost = 2.5;
// The delay leaves the processor to the workflow's first task.
const marks = { itemsPerCallMax: 60, callsAtOnceMax: 2, lingerMs: 50 };
// After a failed start; the relay starts the events that come meanwhile.
const backOffMs = 1_000;

export interface DispatcherPorts {
  client: Client;
  store: Store;
  clock: Clock;
  /** True where a workflow worker of this process shares the client's connection. */
  eager: boolean;
  /** How many events of one application may share a workflow; with 1 each has its own, unpaced. */
  eventsPerWorkflowMax: number;
  workflowStartsPerSecond: number;
}

/** Starts the workflows of events and jobs, each at most once. The relay retries what fails in the background. */
export interface Dispatcher {
  /** Chooses the workflow of an event to be recorded: its own if the pace allows, else null for a shared one. */
  chooseWorkflow(eventId: string): string | null;
  /** Starts committed events in the background, as `run` does jobs. */
  dispatch(events: readonly EventToDispatch[]): void;
  /** Starts, at the pace, one workflow for events of one application with the same workflow id or none. */
  start(events: readonly EventToDispatch[]): Promise<void>;
  run(job: JobToStart): void;
  startJob(job: JobToStart): Promise<void>;
  /** Starts what waits, regardless of the pace; resolves when no start is under way. */
  drained(): Promise<void>;
}

export function createDispatcher(ports: DispatcherPorts): Dispatcher {
  return new PacedDispatcher(ports);
}

class PacedDispatcher implements Dispatcher {
  readonly #ports: DispatcherPorts;
  // A lost mark costs one start that Temporal refuses, so marks can wait for each other.
  readonly #mark: (eventIds: readonly string[]) => Promise<void>;
  readonly #isPaced: boolean;
  readonly #starts: StartPace;
  readonly #waiting = new WaitingEvents();
  readonly #running = new Set<Promise<void>>();
  #nextPump: NodeJS.Timeout | undefined;
  #backingOffUntilMs = 0;

  constructor(ports: DispatcherPorts) {
    this.#ports = ports;
    this.#mark = coalesce(marks, async (batches: readonly (readonly string[])[]) => {
      await markDispatched(ports.store, batches.flat(), ports.clock.now());
      return batches.map(() => undefined);
    });
    this.#isPaced = ports.eventsPerWorkflowMax > 1;
    const startsPerSecond = ports.workflowStartsPerSecond;
    const burst = Math.max(sharedCost, startsPerSecond * burstSeconds);
    this.#starts = new StartPace({ startsPerSecond, burst }, performance.now());
  }

  chooseWorkflow(eventId: string): string | null {
    // Waiting events have the next start; and none is promised while Temporal does not answer.
    const mayGoAlone =
      !this.#isPaced ||
      (this.#waiting.count === 0 && !this.#isBackingOff() && this.#mayStart(aloneCost));
    return mayGoAlone ? eventWorkflowId(eventId) : null;
  }

  dispatch(events: readonly EventToDispatch[]): void {
    if (this.#isBackingOff()) return;
    for (const event of events) {
      if (event.webhookUids.length === 0) continue;
      // Without a pace the starts in flight bound how many go alone.
      const goesAlone = event.workflowId !== null && (this.#isPaced || this.#hasRoom());
      if (goesAlone) this.#startInBackground([event]);
      else if (this.#waiting.count < eventsWaitingMax) this.#waiting.add(withoutBody(event));
    }
    this.#pump();
  }

  async start(events: readonly EventToDispatch[]): Promise<void> {
    while (!this.#mayStart(sharedCost)) {
      await sleep(this.#starts.waitMs(sharedCost, performance.now()));
    }
    await this.#startEvents(events);
  }

  run(job: JobToStart): void {
    this.#run(this.startJob(job), { jobUid: job._id, appUid: job.appUid });
  }

  async startJob(job: JobToStart): Promise<void> {
    const { client, store, clock } = this.#ports;
    await startOnce(client, runJobWorkflow, jobOptions(job));
    await markJobStarted(store, job._id, clock.now());
  }

  async drained(): Promise<void> {
    while (this.#running.size > 0 || this.#waiting.count > 0) {
      this.#startInBackground(this.#takeWaiting());
      await Promise.race(this.#running);
    }
    clearTimeout(this.#nextPump);
  }

  #pump(): void {
    clearTimeout(this.#nextPump);
    while (this.#waiting.count > 0 && this.#hasRoom()) {
      if (!this.#mayStart(sharedCost)) {
        const waitMs = this.#starts.waitMs(sharedCost, performance.now());
        this.#nextPump = setTimeout(() => this.#pump(), waitMs);
        return;
      }
      this.#startInBackground(this.#takeWaiting());
    }
  }

  #startInBackground(events: readonly EventToDispatch[]): void {
    const [first] = events;
    if (first === undefined) return;
    const facts = { appUid: first.appUid, eventId: first._id, count: events.length };
    this.#run(this.#startEvents(events), facts);
  }

  async #startEvents(events: readonly EventToDispatch[]): Promise<void> {
    const { client, store, clock, eager } = this.#ports;
    const [first] = events;
    const workflowId =
      first?.workflowId ??
      (first !== undefined && events.length === 1
        ? eventWorkflowId(first._id)
        : batchWorkflowId(newId('bat', clock.now())));
    const claimed =
      first?.workflowId === null ? await claimEvents(store, events, workflowId) : events;
    if (claimed.length === 0) return;
    await startOnce(client, deliverEventsWorkflow, {
      workflowId,
      requestEagerStart: eager,
      ...deliverEventsOptions(claimed),
    });
    await this.#mark(claimed.map((event) => event._id));
  }

  #run(start: Promise<void>, facts: Record<string, unknown>): void {
    const entry = start
      .catch((error: unknown) => {
        this.#backingOffUntilMs = performance.now() + backOffMs;
        dispatchLog.warn({ ...facts, left: this.#waiting.clear(), err: error }, 'dispatch.failed');
      })
      .finally(() => {
        this.#running.delete(entry);
        this.#pump();
      });
    this.#running.add(entry);
  }

  #mayStart(cost: number): boolean {
    return !this.#isPaced || this.#starts.take(cost, performance.now());
  }

  #hasRoom(): boolean {
    return this.#running.size < startsAtOnceMax;
  }

  #isBackingOff(): boolean {
    return performance.now() < this.#backingOffUntilMs;
  }

  #takeWaiting(): EventToDispatch[] {
    return this.#waiting.take(this.#ports.eventsPerWorkflowMax);
  }
}

// A waiting event must not keep its payload in memory.
function withoutBody(waiting: EventToDispatch): EventToDispatch {
  const { _id, appUid, event, resourceUid, externalTenantId, webhookUids, workflowId } = waiting;
  return { _id, appUid, event, resourceUid, externalTenantId, webhookUids, workflowId };
}
