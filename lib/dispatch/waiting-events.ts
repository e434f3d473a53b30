import { FairQueue, type Owner } from '../concurrency/fair-queue.ts';
import type { EventToDispatch } from '../model/event.ts';
import { dispatchLimits } from '../limits.ts';

const { deliveriesPerWorkflowMax } = dispatchLimits;

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
