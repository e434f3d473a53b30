// Lets each event be handled once: tracks events that are being handled or have been handled.
import { checkFunctions, checkLimits } from './limits.ts';

/** A claim lapses after this time, in case its handler hangs or its process dies. In milliseconds. */
export const claimMs = 5 * 60_000;

/**
 * A handled event is remembered for 30 days, in milliseconds. Retries end within 15 days, and by default the service
 * keeps an event for 30 days, during which it can be sent again.
 */
export const rememberMs = 30 * 24 * 3_600_000;

/**
 * - `new`: the event is now claimed with the caller's token.
 * - `done`: the event has been handled.
 * - `busy`: another token holds a claim that has not lapsed.
 */
export type Claim = 'new' | 'done' | 'busy';

/**
 * Remembers events by `eventId`. Each method must be atomic. The receiver makes a random token for each attempt, so
 * that an attempt whose claim has lapsed cannot end the claim of a later attempt.
 */
export interface DeliveryStore {
  /** Claims an event. Of two concurrent callers, exactly one gets `new`. */
  claim(eventId: string, token: string): Claim | Promise<Claim>;
  /** Marks the event as handled. Does nothing while another token holds the claim. */
  complete(eventId: string, token: string): void | Promise<void>;
  /** Gives up the claim, so that the next attempt gets `new`. Does nothing unless this token holds the claim. */
  release(eventId: string, token: string): void | Promise<void>;
}

export interface MemoryDeliveryStoreOptions {
  /** The maximum number of remembered events. The default is 100,000. The oldest are forgotten first. */
  countMax?: number | undefined;
  /** How long a handled event is remembered, in milliseconds. The default is 30 days. */
  keepMs?: number | undefined;
  /** How long a claim lasts, in milliseconds. The default is 5 minutes. */
  claimMs?: number | undefined;
  /** A monotonic clock in milliseconds. */
  now?: (() => number) | undefined;
}

interface Entry {
  token: string;
  at: number;
}

/** Keeps the events in memory, until the process ends. */
export class MemoryDeliveryStore implements DeliveryStore {
  // Both are ordered by time.
  readonly #claims = new Map<string, Entry>();
  readonly #done = new Map<string, Entry>();
  readonly #countMax: number;
  readonly #keepMs: number;
  readonly #claimMs: number;
  readonly #now: () => number;

  constructor(options: MemoryDeliveryStoreOptions = {}) {
    const { countMax = 100_000, keepMs = rememberMs } = options;
    this.#claimMs = options.claimMs ?? claimMs;
    checkLimits({ countMax, keepMs, claimMs: this.#claimMs });
    checkFunctions({ now: options.now });
    this.#countMax = countMax;
    this.#keepMs = keepMs;
    // Wall-clock time can be set back, which would prolong a claim.
    this.#now = options.now ?? (() => performance.now());
  }

  get size(): number {
    return this.#claims.size + this.#done.size;
  }

  claim(eventId: string, token: string): Claim {
    const at = this.#now();
    forgetUntil(this.#done, at - this.#keepMs);
    forgetUntil(this.#claims, at - this.#claimMs);
    if (this.#done.has(eventId)) return 'done';
    if (this.#claims.has(eventId)) return 'busy';
    this.#claims.set(eventId, { token, at });
    return 'new';
  }

  complete(eventId: string, token: string): void {
    if ((this.#claims.get(eventId)?.token ?? token) !== token) return;
    this.#claims.delete(eventId);
    this.#done.delete(eventId);
    this.#done.set(eventId, { token, at: this.#now() });
    for (const oldest of this.#done.keys()) {
      if (this.#done.size <= this.#countMax) return;
      this.#done.delete(oldest);
    }
  }

  release(eventId: string, token: string): void {
    if (this.#claims.get(eventId)?.token === token) this.#claims.delete(eventId);
  }
}

function forgetUntil(entries: Map<string, Entry>, until: number): void {
  for (const [eventId, { at }] of entries) {
    if (at > until) return;
    entries.delete(eventId);
  }
}
