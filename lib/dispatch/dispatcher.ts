// Hands events and jobs to Temporal: which workflow carries what, started at most once.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Clock } from '../platform/clock.ts';
import { coalesce } from '../concurrency/coalesce.ts';
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

// A workflow costs as much as delivering ten events does. So as many events a second as the pace
// says get their own at once; what comes faster shares workflows, 2.5 times fewer of them, because
// each carries more the fewer there are. At the default of 25 an event waits a tenth of a second for
// a shared one (docs/adr/0008). After a quiet time a few more are started at once.
const burstSeconds = 0.4;
const aloneCost = 1;
const sharedCost = 2.5;
const startsInFlightMax = 16;
// What does not fit is left to the relay, which finds it in the database.
const waitingMax = 5_000;
// The marks of a moment go together, after the workflow's first task has had the processor.
const marks = { itemsPerCallMax: 60, callsAtOnceMax: 2, lingerMs: 50 };
// After a failed start Temporal is left alone for so long; the relay takes what comes meanwhile.
const backOffMs = 1_000;

export interface DispatcherPorts {
  client: Client;
  store: Store;
  clock: Clock;
  /** True where a workflow worker runs on the client's own connection, in this process. */
  eager: boolean;
  /** How many events of one application may share a workflow; 1 gives each its own, unpaced. */
  eventsPerWorkflowMax: number;
  /** How many events a second may have a workflow of their own. */
  workflowStartsPerSecond: number;
}

/** Starts the workflows of events and of jobs. */
export interface Dispatcher {
  /**
   * Chooses the workflow of an event that is about to be recorded: its own, if one may be started
   * now, or null for one that it will share.
   */
  chooseWorkflow(eventId: string): string | null;
  /** Starts soon, in the background, events that are committed. A failure is the relay's to mend. */
  dispatch(events: readonly EventToDispatch[]): void;
  /**
   * Starts one workflow for events of one application that name the same workflow or none, at the
   * pace of this process, and notes it on them. One that exists already counts as started.
   */
  start(events: readonly EventToDispatch[]): Promise<void>;
  /** Starts the workflow of a job in the background. The relay retries it. */
  run(job: JobToStart): void;
  /** Starts the workflow of a job and records that; once a job. */
  startJob(job: JobToStart): Promise<void>;
  /** Starts what waits, without regard to the pace; resolves when nothing is being started any more. */
  drained(): Promise<void>;
}

/** Makes the dispatcher of a process. */
export function createDispatcher(ports: DispatcherPorts): Dispatcher {
  return new PacedDispatcher(ports);
}

class PacedDispatcher implements Dispatcher {
  readonly #ports: DispatcherPorts;
  readonly #mark: Mark;
  readonly #isPaced: boolean;
  readonly #starts: StartPace;
  readonly #waiting = new WaitingEvents();
  readonly #running = new Set<Promise<void>>();
  #nextPump: NodeJS.Timeout | undefined;
  #backingOffUntilMs = 0;

  constructor(ports: DispatcherPorts) {
    this.#ports = ports;
    this.#mark = createMark(ports);
    this.#isPaced = ports.eventsPerWorkflowMax > 1;
    const startsPerSecond = ports.workflowStartsPerSecond;
    const burst = Math.max(sharedCost, startsPerSecond * burstSeconds);
    this.#starts = new StartPace({ startsPerSecond, burst }, performance.now());
  }

  chooseWorkflow(eventId: string): string | null {
    // Whoever waits has the next start; and none is promised while Temporal does not answer.
    const mayGoAlone =
      !this.#isPaced ||
      (this.#waiting.count === 0 && !this.#isBackingOff() && this.#mayStart(aloneCost));
    return mayGoAlone ? eventWorkflowId(eventId) : null;
  }

  dispatch(events: readonly EventToDispatch[]): void {
    if (this.#isBackingOff()) return;
    for (const event of events) {
      if (event.webhookUids.length === 0) continue;
      // The pace bounds how many go alone; without it, the starts in flight do.
      const goesAlone = event.workflowId !== null && (this.#isPaced || this.#hasRoom());
      if (goesAlone) this.#startInBackground([event]);
      else if (this.#waiting.count < waitingMax) this.#waiting.add(withoutBody(event));
    }
    this.#pump();
  }

  async start(events: readonly EventToDispatch[]): Promise<void> {
    while (!this.#mayStart(sharedCost)) {
      await sleep(this.#starts.waitMs(sharedCost, performance.now()));
    }
    await startEvents(this.#ports, this.#mark, events);
  }

  run(job: JobToStart): void {
    this.#run(startJob(this.#ports, job), { jobUid: job._id, appUid: job.appUid });
  }

  startJob(job: JobToStart): Promise<void> {
    return startJob(this.#ports, job);
  }

  async drained(): Promise<void> {
    while (this.#running.size > 0 || this.#waiting.count > 0) {
      this.#startInBackground(this.#takeWaiting());
      await Promise.race(this.#running);
    }
    clearTimeout(this.#nextPump);
  }

  /** Starts what waits, as fast as the pace and the starts in flight allow. */
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
    this.#run(startEvents(this.#ports, this.#mark, events), facts);
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

  /** Takes a start from the pace, where there is one. */
  #mayStart(cost: number): boolean {
    return !this.#isPaced || this.#starts.take(cost, performance.now());
  }

  #hasRoom(): boolean {
    return this.#running.size < startsInFlightMax;
  }

  #isBackingOff(): boolean {
    return performance.now() < this.#backingOffUntilMs;
  }

  #takeWaiting(): EventToDispatch[] {
    return this.#waiting.take(this.#ports.eventsPerWorkflowMax);
  }
}

/** An event as it waits in memory: its payload may be long, and the workflow does not get it. */
function withoutBody(event: EventToDispatch): EventToDispatch {
  const {
    _id,
    appUid,
    event: name,
    resourceUid,
    externalTenantId,
    webhookUids,
    workflowId,
  } = event;
  return { _id, appUid, event: name, resourceUid, externalTenantId, webhookUids, workflowId };
}

/** Notes on events that their workflow carries them. */
type Mark = (eventIds: readonly string[]) => Promise<void>;

/** A lost mark costs one start that Temporal refuses, so marks can wait for each other. */
function createMark({ store, clock }: DispatcherPorts): Mark {
  return coalesce(marks, async (batches: readonly (readonly string[])[]) => {
    await markDispatched(store, batches.flat(), clock.now());
    return batches.map(() => undefined);
  });
}

/** Starts the workflow that the events name; events that name none are given one first. */
async function startEvents(
  ports: DispatcherPorts,
  mark: Mark,
  events: readonly EventToDispatch[],
): Promise<void> {
  const workflowId = events[0]?.workflowId ?? newWorkflowId(ports, events);
  const carried =
    events[0]?.workflowId === null ? await claimEvents(ports.store, events, workflowId) : events;
  if (carried.length === 0) return;
  await startOnce(ports.client, deliverEventsWorkflow, {
    workflowId,
    requestEagerStart: ports.eager,
    ...deliverEventsOptions(carried),
  });
  await mark(carried.map((event) => event._id));
}

function newWorkflowId(ports: DispatcherPorts, events: readonly EventToDispatch[]): string {
  const [only, ...others] = events;
  return only !== undefined && others.length === 0
    ? eventWorkflowId(only._id)
    : batchWorkflowId(newId('bat', ports.clock.now()));
}

/** Starts the workflow of a job; a second start is refused by its id. */
async function startJob(ports: DispatcherPorts, job: JobToStart): Promise<void> {
  await startOnce(ports.client, runJobWorkflow, jobOptions(job));
  await markJobStarted(ports.store, job._id, ports.clock.now());
}
