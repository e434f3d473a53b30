import type { EventToDispatch } from '../model/event.ts';
import { dispatchLimits } from '../limits.ts';

const { deliveriesPerWorkflowMax } = dispatchLimits;

// At least one event, however many deliveries it has.
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

/** Events that wait for a workflow, a queue for each application; the applications take turns. */
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

  /** Takes, oldest first, up to `eventsMax` events of the next application; none when none wait. */
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

  /** Removes the events of an application, and returns how many they were. */
  clear(appUid: string): number {
    const count = this.#queues.get(appUid)?.length ?? 0;
    this.#queues.delete(appUid);
    this.#count -= count;
    return count;
  }
}
