import { setTimeout as sleep } from 'node:timers/promises';
import { SharedLimit } from '../concurrency/shared-limit.ts';
import { dispatchLimits } from '../limits.ts';
import type { EventToDispatch } from '../model/event.ts';
import type { JobToStart } from '../model/job.ts';
import { dispatchLog } from '../platform/logger.ts';
import { instruments } from '../telemetry/instruments.ts';
import { WaitingEvents } from './waiting-events.ts';
import { type WorkflowPorts, WorkflowStarts } from './workflow-starts.ts';

const { concurrentStartsMax, concurrentOwnStartsMax, eventsWaitingMax, ownWorkflowBelow } =
  dispatchLimits;
// A slower Temporal gets fewer starts, while more events gather for each (ADR 39).
const pauseTimes = 7;
const pauseMsMax = 2_000;

export interface StarterPorts extends WorkflowPorts {
  eventsPerWorkflowMax: number;
}

/**
 * Starts the workflows of committed events and jobs in the background. A few loops each take the next event, or several
 * events of one application if ten or more wait, start the workflow, and pause for a multiple of the time that took.
 * The relay starts events left out or failed.
 */
export class Starter {
  readonly #starts: WorkflowStarts;
  readonly #eventsPerWorkflowMax: number;
  readonly #waiting = new WaitingEvents();
  readonly #room = new SharedLimit(eventsWaitingMax);
  readonly #loops = new Set<Promise<void>>();
  readonly #background = new Set<Promise<void>>();
  readonly #draining = new AbortController();

  constructor({ eventsPerWorkflowMax, ...ports }: StarterPorts) {
    this.#starts = new WorkflowStarts(ports);
    this.#eventsPerWorkflowMax = eventsPerWorkflowMax;
  }

  add(events: readonly EventToDispatch[]): void {
    for (const event of events) {
      // An event without a subscriber needs no workflow.
      if (event.webhookUids.length === 0 || !this.#room.hasRoom(event.appUid)) continue;
      this.#room.take(event.appUid);
      this.#waiting.add(withoutBody(event));
    }
    this.#startLoops();
  }

  addJob(job: JobToStart): void {
    const started = this.#starts.startJob(job);
    this.#track(started, (err) => {
      instruments.dispatchFailures.add(1, { by: 'dispatch' });
      dispatchLog.warn({ jobUid: job._id, appUid: job.appUid, err }, 'dispatch.failed');
    });
  }

  /** Starts all waiting events without pauses; resolves when no start is in flight. */
  async drained(): Promise<void> {
    this.#draining.abort();
    while (this.#loops.size + this.#background.size > 0) {
      await Promise.all([...this.#loops, ...this.#background]);
    }
  }

  get #sharesWorkflows(): boolean {
    return this.#eventsPerWorkflowMax > 1;
  }

  #startLoops(): void {
    const loopsMax = this.#sharesWorkflows ? concurrentStartsMax : concurrentOwnStartsMax;
    while (this.#loops.size < loopsMax && this.#waiting.count > 0) {
      const loop = this.#runLoop().finally(() => {
        this.#loops.delete(loop);
        // An event may have been added since the loop found none.
        this.#startLoops();
      });
      this.#loops.add(loop);
    }
  }

  async #runLoop(): Promise<void> {
    const { signal } = this.#draining;
    for (let events = this.#next(); events.length > 0; events = this.#next()) {
      const pauseMs = await this.#start(events);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  #next(): EventToDispatch[] {
    const isAlone = this.#waiting.count < ownWorkflowBelow;
    const events = this.#waiting.take(isAlone ? 1 : this.#eventsPerWorkflowMax);
    for (const { appUid } of events) this.#room.release(appUid);
    return events;
  }

  /** Returns how long to pause, in ms. */
  async #start(events: readonly EventToDispatch[]): Promise<number> {
    try {
      const { tookMs, marked } = await this.#starts.startEvents(events, 'dispatch');
      // A lost mark costs the relay one start, which Temporal refuses.
      this.#track(marked, (err) =>
        dispatchLog.warn({ count: events.length, err }, 'dispatch.not_marked'),
      );
      return this.#sharesWorkflows ? Math.min(pauseMsMax, pauseTimes * tookMs) : 0;
    } catch (error) {
      instruments.dispatchFailures.add(1, { by: 'dispatch' });
      this.#leaveToRelay(events, error);
      return pauseMsMax;
    }
  }

  #leaveToRelay(events: readonly EventToDispatch[], err: unknown): void {
    const { appUid = '', _id: eventId } = events[0] ?? {};
    const left = this.#waiting.clear(appUid);
    if (left > 0) this.#room.release(appUid, left);
    dispatchLog.warn({ appUid, eventId, count: events.length, left, err }, 'dispatch.failed');
  }

  #track(work: Promise<void>, onFault: (error: unknown) => void): void {
    const entry = work.catch(onFault).finally(() => this.#background.delete(entry));
    this.#background.add(entry);
  }
}

// A waiting event must not keep its payload in memory.
function withoutBody(waiting: EventToDispatch & { body?: string }): EventToDispatch {
  const { body: _, ...facts } = waiting;
  return facts;
}
