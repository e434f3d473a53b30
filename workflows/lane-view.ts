// What operators see of a lane that has to wait: the ids of the events in it, as a search attribute.
import { patched, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { idsPerSearchAttributeMax } from '../lib/temporal/names.ts';
import { eventIdsAttribute } from '../lib/temporal/search-attributes.ts';

/**
 * Shows the first 60 events of a lane while it waits. While it moves nothing is shown anew: each change
 * is an event of the history and a write of the list of workflows.
 */
export class LaneView {
  #shown = workflowInfo().typedSearchAttributes.get(eventIdsAttribute) ?? [];
  /** What was in the lane when it began to wait; null while it moves. */
  #waiting: readonly string[] | null = null;
  #arrived: readonly string[] = [];

  /** The lane takes a step; what arrives from now on may or may not be in what the step finds. */
  move(): void {
    this.#waiting = null;
    this.#arrived = [];
  }

  /** The lane waits with these events in it, or goes on where none are given. */
  wait(eventIds: readonly string[] | undefined): void {
    this.#waiting = eventIds !== undefined && patched('show-waiting') ? eventIds : null;
    this.#show();
  }

  arrive(eventIds: readonly string[]): void {
    this.#arrived = [...this.#arrived, ...eventIds];
    this.#show();
  }

  #show(): void {
    if (this.#waiting === null) return;
    const eventIds = [...new Set([...this.#waiting, ...this.#arrived])];
    const first = eventIds.slice(0, idsPerSearchAttributeMax);
    if (first.join() === this.#shown.join()) return;
    this.#shown = first;
    upsertSearchAttributes([{ key: eventIdsAttribute, value: first }]);
  }
}
