import { setTimeout as sleep } from 'node:timers/promises';
import { FairQueue, type Owner } from '../concurrency/fair-queue.ts';
import { SharedLimit } from '../concurrency/shared-limit.ts';
import { dispatchLimits } from '../limits.ts';
import type { EventToDispatch } from '../model/event.ts';
import type { JobToStart } from '../model/job.ts';
import { dispatchLog } from '../platform/logger.ts';
import { instruments } from '../telemetry/instruments.ts';
import { type WorkflowPorts, WorkflowStarts } from './workflow-starts.ts';

const { concurrentOwnStartsMax, deliveriesPerWorkflowMax, eventsWaitingMax, ownWorkflowBelow } =
  dispatchLimits;
// A slower Temporal gets fewer starts, while more events gather for each (ADR 51).
const pauseTimes = { own: 2, shared: 8 };
const pauseMsMax = 2_000;

export interface StarterPorts extends WorkflowPorts {
  eventsPerWorkflowMax: number;
}

/**
 * Starts the workflows of committed events and jobs in the background. A loop takes the next event, or up to 60 if ten
 * or more wait, starts the workflow, and pauses for twice the time that took: eight times after a shared workflow, and
 * not at all if a whole one waits. The relay starts events left out or failed.
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
    const loopsMax = this.#sharesWorkflows ? 1 : concurrentOwnStartsMax;
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
      if (this.#waiting.count >= this.#eventsPerWorkflowMax) return 0;
      return Math.min(pauseMsMax, pauseTimes[events.length === 1 ? 'own' : 'shared'] * tookMs);
    } catch (error) {
      instruments.dispatchFailures.add(1, { by: 'dispatch' });
      this.#leaveToRelay(events, error);
      return pauseMsMax;
    }
  }

  #leaveToRelay(events: readonly EventToDispatch[], err: unknown): void {
    const { appUid, _id: eventId } = events[0] ?? {};
    const left = this.#waiting.clear();
    for (const event of left) this.#room.release(event.appUid);
    const facts = { appUid, eventId, count: events.length, left: left.length };
    dispatchLog.warn({ ...facts, err }, 'dispatch.failed');
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

interface Waiting extends Owner {
  event: EventToDispatch;
}

/** Events that wait for a workflow. Applications take turns, and each event of one is a turn. */
export class WaitingEvents {
  #queue = new FairQueue<Waiting>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(event: EventToDispatch): void {
    this.#queue.add({ appUid: event.appUid, webhookUid: '', event });
    this.#count += 1;
  }

  /** Takes up to `eventsMax` events to share a workflow, the oldest of each application first; none if none wait. */
  take(eventsMax: number): EventToDispatch[] {
    const taken: EventToDispatch[] = [];
    let deliveries = 0;
    // A first event has its workflow, however many deliveries that needs.
    const fits = ({ event }: Waiting): boolean =>
      taken.length === 0 || deliveries + event.webhookUids.length <= deliveriesPerWorkflowMax;
    while (taken.length < eventsMax) {
      const next = this.#queue.take(fits);
      if (next === undefined) break;
      taken.push(next.event);
      deliveries += next.event.webhookUids.length;
    }
    this.#count -= taken.length;
    return taken;
  }

  /** Removes and returns all events. */
  clear(): EventToDispatch[] {
    const events = [...this.#queue].map(({ event }) => event);
    this.#queue = new FairQueue();
    this.#count = 0;
    return events;
  }
}
