import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Clock } from '../platform/clock.ts';
import { coalesce } from '../concurrency/coalesce.ts';
import { dispatchLimits } from '../limits.ts';
import { newId } from '../platform/ids.ts';
import { isOperationsEvent } from '../model/event-name.ts';
import { dispatchLog } from '../platform/logger.ts';
import type { EventToDispatch } from '../model/event.ts';
import type { JobToStart } from '../model/job.ts';
import type { Store } from '../mongo/connect.ts';
import { claimEvents, markDispatched } from '../events/events.ts';
import { markJobStarted } from '../jobs/jobs.ts';
import {
  batchWorkflowId,
  deliverEventsWorkflow,
  eventWorkflowId,
  runJobWorkflow,
} from '../temporal/names.ts';
import { instruments } from '../telemetry/instruments.ts';
import { startOnce, type StartOptions } from '../temporal/start-once.ts';
import { deliverEventsOptions, jobOptions } from '../temporal/start-options.ts';
import { traceStart } from './trace-start.ts';
import { StartWindow } from './start-window.ts';
import { WaitingEvents } from './waiting-events.ts';

const { startsAtOnceMax, startsAtOnceMaxAlone, eventsWaitingMax } = dispatchLimits;
const promiseMs = 1_000;
// Else starts that wait for a server that is away would shut the window for minutes.
const holdMsMax = 2_000;
const shared = { places: startsAtOnceMax, holdTimes: 32, holdMsMax, promiseMs };
const alone = { places: startsAtOnceMaxAlone, holdTimes: 1, holdMsMax, promiseMs };
// Much less than the grace of the relay.
const marks = { itemsPerCallMax: 200, callsAtOnceMax: 2, lingerMs: 500 };
// After a start that Temporal did not answer; the relay starts the events that come meanwhile.
const backOffMs = 1_000;
// How soon to look again for a place that others compete for.
const pollMs = 50;

/** `tookMs` is the time of Temporal's answer: a slow MongoDB is no reason for fewer workflows. */
type EndStart = (tookMs: number) => void;

export interface DispatcherPorts {
  client: Client;
  store: Store;
  clock: Clock;
  /** True where a workflow worker of this process shares the client's connection. */
  eager: boolean;
  /** How many events of one application may share a workflow. */
  eventsPerWorkflowMax: number;
}

/** Starts the workflows of events and jobs, each at most once. The relay retries what fails in the background. */
export class Dispatcher {
  readonly #ports: DispatcherPorts;
  // A lost mark costs one start that Temporal refuses, so marks can wait for each other.
  readonly #mark: (eventIds: readonly string[]) => Promise<void>;
  /** For the relay, each of whose starts waits for its mark. */
  readonly #markSoon: (eventIds: readonly string[]) => Promise<void>;
  readonly #window: StartWindow;
  readonly #sharesWorkflows: boolean;
  readonly #waiting = new WaitingEvents();
  readonly #running = new Set<Promise<void>>();
  #nextPump: NodeJS.Timeout | undefined;
  #backingOffUntilMs = 0;

  constructor(ports: DispatcherPorts) {
    this.#ports = ports;
    const mark = async (batches: readonly (readonly string[])[]): Promise<undefined[]> => {
      await markDispatched(ports.store, batches.flat(), ports.clock.now());
      return batches.map(() => undefined);
    };
    this.#mark = coalesce(marks, mark);
    this.#markSoon = coalesce({ ...marks, lingerMs: 10 }, mark);
    this.#sharesWorkflows = ports.eventsPerWorkflowMax > 1;
    this.#window = new StartWindow(this.#sharesWorkflows ? shared : alone);
  }

  /** Chooses the workflow of an event to be recorded: its own where the window has a place, else null for a shared one. */
  chooseWorkflow(eventId: string): string | null {
    const workflowId = eventWorkflowId(eventId);
    if (!this.#sharesWorkflows) return workflowId;
    // Waiting events have the next place; and none is promised while Temporal does not answer.
    const mayGoAlone = this.#waiting.count === 0 && !this.#isBackingOff();
    return mayGoAlone && this.#window.promise(workflowId, performance.now()) ? workflowId : null;
  }

  /** Starts committed events in the background. */
  dispatch(events: readonly EventToDispatch[]): void {
    if (this.#isBackingOff()) return;
    for (const event of events) {
      if (event.webhookUids.length === 0) continue;
      const { workflowId } = event;
      const end = workflowId === null ? null : this.#begin(workflowId);
      if (end !== null) this.#startInBackground([event], end);
      // Its promise has lapsed: no other workflow may have it.
      else if (workflowId !== null && this.#sharesWorkflows) this.#startInBackground([event]);
      else if (this.#waiting.count < eventsWaitingMax) this.#waiting.add(withoutBody(event));
    }
    this.#pump();
  }

  /**
   * Starts, once there is a place, one workflow for events of one application with the same workflow id or none, in a
   * sweep over events of so many applications.
   */
  async start(
    events: readonly EventToDispatch[],
    { applicationCount = 1 }: { applicationCount?: number } = {},
  ): Promise<void> {
    const sweep = { applicationCount, isFull: events.length >= this.#ports.eventsPerWorkflowMax };
    let end = this.#begin(null, sweep);
    while (end === null) {
      await sleep(Math.min(this.#window.waitMs(performance.now()), pollMs));
      end = this.#begin(null, sweep);
    }
    await this.#startEvents(events, { by: 'relay', end });
  }

  /** Starts a committed job in the background. */
  dispatchJob(job: JobToStart): void {
    this.#run(this.startJob(job), { jobUid: job._id, appUid: job.appUid });
  }

  async startJob(job: JobToStart): Promise<void> {
    const { store, clock } = this.#ports;
    await this.#startOnce(runJobWorkflow, jobOptions(job));
    await markJobStarted(store, job._id, clock.now());
  }

  /** Starts what waits, without a place; resolves when no start is under way. */
  async drained(): Promise<void> {
    while (this.#running.size > 0 || this.#waiting.count > 0) {
      if (this.#waiting.count > 0) {
        this.#startInBackground(this.#waiting.take(this.#ports.eventsPerWorkflowMax));
      }
      await Promise.race(this.#running);
    }
    clearTimeout(this.#nextPump);
  }

  #pump(): void {
    clearTimeout(this.#nextPump);
    const { eventsPerWorkflowMax } = this.#ports;
    while (this.#waiting.count > 0) {
      const end = this.#begin(null, { isFull: this.#waiting.isNextFull(eventsPerWorkflowMax) });
      if (end === null) {
        const waitMs = this.#window.waitMs(performance.now());
        // With a start in each place, the end of one pumps.
        if (waitMs < Infinity) this.#nextPump = setTimeout(() => this.#pump(), Math.ceil(waitMs));
        return;
      }
      this.#startInBackground(this.#waiting.take(eventsPerWorkflowMax), end);
    }
  }

  #begin(
    workflowId: string | null,
    { applicationCount = 0, isFull = false }: { applicationCount?: number; isFull?: boolean } = {},
  ): EndStart | null {
    const end = this.#window.begin(workflowId, performance.now(), isFull);
    if (end === null) return null;
    return (tookMs) => {
      // A hold makes workflows larger, but not where each waiting event is of another application.
      const applications = Math.max(applicationCount, this.#waiting.applicationCount);
      end(performance.now(), applications <= startsAtOnceMax ? tookMs : 0);
      this.#pump();
    };
  }

  #startInBackground(events: readonly EventToDispatch[], end?: EndStart): void {
    const [first] = events;
    const facts = { appUid: first?.appUid, eventId: first?._id, count: events.length };
    this.#run(this.#startEvents(events, { by: 'dispatch', end }), facts);
  }

  async #startEvents(
    events: readonly EventToDispatch[],
    { by, end }: { by: 'dispatch' | 'relay'; end: EndStart | undefined },
  ): Promise<void> {
    const { started, isFirst } = await this.#startWorkflow(events, end);
    if (started.length === 0) return;
    // Only the relay starts notices, so they would look like starts that failed.
    const changes = started.filter(({ event }) => !isOperationsEvent(event));
    if (isFirst && changes.length > 0) instruments.eventsStarted.add(changes.length, { by });
    const eventIds = started.map((event) => event._id);
    if (by === 'relay') return this.#markSoon(eventIds);
    await this.#mark(eventIds).catch((error: unknown) => {
      dispatchLog.warn({ count: eventIds.length, err: error }, 'dispatch.not_marked');
    });
  }

  // Returns the events that no other workflow has, and whether this start was the first of theirs.
  async #startWorkflow(
    events: readonly EventToDispatch[],
    end: EndStart = () => undefined,
  ): Promise<{ started: readonly EventToDispatch[]; isFirst: boolean }> {
    const { clock, eager } = this.#ports;
    let beganAtMs: number | null = null;
    try {
      const { workflowId, claimed } = await this.#claim(events);
      if (claimed.length === 0) return { started: [], isFirst: false };
      beganAtMs = performance.now();
      const subject = { workflowId, events: claimed, now: clock.now() };
      const isFirst = await traceStart(subject, (trace) =>
        this.#startOnce(deliverEventsWorkflow, {
          workflowId,
          requestEagerStart: eager,
          ...deliverEventsOptions(claimed, trace === undefined ? {} : { trace }),
        }),
      );
      return { started: claimed, isFirst };
    } finally {
      end(beganAtMs === null ? 0 : performance.now() - beganAtMs);
    }
  }

  async #startOnce(type: string, options: StartOptions): Promise<boolean> {
    try {
      return await startOnce(this.#ports.client, type, options);
    } catch (error) {
      this.#backingOffUntilMs = performance.now() + backOffMs;
      throw error;
    }
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
        ? eventWorkflowId(first._id)
        : batchWorkflowId(newId('bat', clock.now()));
    return { workflowId, claimed: await claimEvents(store, events, workflowId) };
  }

  #run(start: Promise<void>, facts: Record<string, unknown>): void {
    const entry = start
      .catch((error: unknown) => {
        instruments.dispatchFailures.add(1, { by: 'dispatch' });
        dispatchLog.warn({ ...facts, left: this.#waiting.clear(), err: error }, 'dispatch.failed');
      })
      .finally(() => this.#running.delete(entry));
    this.#running.add(entry);
  }

  #isBackingOff(): boolean {
    return performance.now() < this.#backingOffUntilMs;
  }
}

// A waiting event must not keep its payload in memory.
function withoutBody(waiting: EventToDispatch & { body?: string }): EventToDispatch {
  const { body: _, ...facts } = waiting;
  return facts;
}
