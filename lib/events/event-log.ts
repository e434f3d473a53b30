import { streamLimits } from '../limits.ts';
import type { EventDocument } from '../model/event.ts';

/** An event as it was committed. */
interface CommittedEvent {
  event: EventDocument;
  /** Its place in the order of commits; tokens sort as texts. */
  token: string;
  reachedAt: Date;
}

// Of an event in memory besides its body.
const factsBytes = 1_024;

/** The latest committed events, numbered in their order, for readers of different pace. */
export class EventLog {
  readonly #entries = new Map<number, CommittedEvent>();
  #bytes = 0;
  #first = 0;

  /** The number of the oldest event that is kept. */
  get first(): number {
    return this.#first;
  }

  /** The number that the next event gets. */
  get end(): number {
    return this.#first + this.#entries.size;
  }

  at(index: number): CommittedEvent | undefined {
    return this.#entries.get(index);
  }

  push(entry: CommittedEvent): void {
    this.#entries.set(this.end, entry);
    this.#bytes += sizeOf(entry);
    const { keptEventsMax, keptBytesMax } = streamLimits;
    while (this.#entries.size > keptEventsMax || this.#bytes > keptBytesMax) this.#dropOldest();
  }

  #dropOldest(): void {
    const oldest = this.#entries.get(this.#first);
    if (oldest === undefined) return;
    this.#bytes -= sizeOf(oldest);
    this.#entries.delete(this.#first);
    this.#first += 1;
  }
}

function sizeOf({ event }: CommittedEvent): number {
  return factsBytes + event.body.length;
}
