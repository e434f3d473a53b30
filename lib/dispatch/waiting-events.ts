import type { EventToDispatch } from '../model/event.ts';
import { dispatchLimits } from '../limits.ts';

const { deliveriesPerWorkflowMax } = dispatchLimits;

// Returns at least one, however many deliveries the first event has.
function countTogether(events: readonly EventToDispatch[], eventsMax: number): number {
  let deliveries = 0;
  let count = 0;
  for (const event of events) {
    deliveries += event.webhookUids.length;
    if (count > 0 && (count === eventsMax || deliveries > deliveriesPerWorkflowMax)) break;
    count += 1;
  }
  return count;
}

/** Events that wait for a workflow, in one queue per application; applications take turns. */
export class WaitingEvents {
  readonly #queues = new Map<string, EventToDispatch[]>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(event: EventToDispatch): void {
    const queue = this.#queues.get(event.appUid);
    if (queue === undefined) this.#queues.set(event.appUid, [event]);
    else queue.push(event);
    this.#count += 1;
  }

  /** Takes up to `eventsMax` events of the next application, oldest first; none if none wait. */
  take(eventsMax: number): EventToDispatch[] {
    const [next] = this.#queues;
    if (next === undefined) return [];
    const [appUid, queue] = next;
    const taken = queue.splice(0, countTogether(queue, eventsMax));
    this.#queues.delete(appUid);
    if (queue.length > 0) this.#queues.set(appUid, queue);
    this.#count -= taken.length;
    return taken;
  }

  /** Returns the number of removed events. */
  clear(appUid: string): number {
    const count = this.#queues.get(appUid)?.length ?? 0;
    this.#queues.delete(appUid);
    this.#count -= count;
    return count;
  }
}
