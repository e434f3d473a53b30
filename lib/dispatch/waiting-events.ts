// Which waiting events go together into a workflow: those of one application, oldest first.
import type { EventToDispatch } from '../model/event.ts';
import { deliveriesPerWorkflowMax } from '../temporal/messages.ts';

/**
 * Takes from a list, oldest first, the events that go together: `eventsMax` at most, with as many
 * deliveries as a workflow should carry; one event goes however many it has.
 */
function takeTogether(events: EventToDispatch[], eventsMax: number): EventToDispatch[] {
  let deliveries = 0;
  let count = 0;
  for (const event of events) {
    deliveries += event.webhookUids.length;
    if (count > 0 && (count === eventsMax || deliveries > deliveriesPerWorkflowMax)) break;
    count += 1;
  }
  return events.splice(0, count);
}

/** Events that wait for a workflow, a queue an application; the applications take turns. */
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

  /** Takes the events of the application whose turn it is; none when none wait. */
  take(eventsMax: number): EventToDispatch[] {
    const [next] = this.#queues;
    if (next === undefined) return [];
    const [appUid, queue] = next;
    const taken = takeTogether(queue, eventsMax);
    this.#queues.delete(appUid);
    // Behind the others, which have their turn first.
    if (queue.length > 0) this.#queues.set(appUid, queue);
    this.#count -= taken.length;
    return taken;
  }

  /** Forgets what waits, and gives how many that were. */
  clear(): number {
    const count = this.#count;
    this.#queues.clear();
    this.#count = 0;
    return count;
  }
}
