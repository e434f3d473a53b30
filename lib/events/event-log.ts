import { streamLimits } from '../limits.ts';
import type { EventDocument } from '../model/event.ts';

interface CommittedEvent {
  event: EventDocument;
  /** Its position in the order of commits; tokens sort as strings. */
  token: string;
  reachedAt: Date;
}

// The size of an event in memory in addition to its body.
const factsBytes = 1_024;

/** The latest committed events, numbered in order, for readers of different speed. */
export class EventLog {
  readonly #entries = new Map<number, CommittedEvent>();
  #bytes = 0;
  #first = 0;
  /** All commits after this token are kept. */
  #from: string | null = null;

  get first(): number {
    return this.#first;
  }

  /** The number of the next event. */
  get end(): number {
    return this.#first + this.#entries.size;
  }

  at(index: number): CommittedEvent | undefined {
    return this.#entries.get(index);
  }

  /** Sets the token after which the log has all commits. */
  begin(token: string): void {
    this.#from ??= token;
  }

  /** Returns the number of the first event after a token; null if events in between may be missing. */
  after(token: string): number | null {
    if (this.#from === null || token < this.#from) return null;
    let [low, high] = [this.#first, this.end];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (String(this.#entries.get(middle)?.token) <= token) low = middle + 1;
      else high = middle;
    }
    return low;
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
    this.#from = oldest.token;
  }
}

function sizeOf({ event }: CommittedEvent): number {
  return factsBytes + event.body.length;
}
