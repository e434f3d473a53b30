// Each event once: which attempt is handling it, and which events were handled.
import { checkFunctions, checkLimits } from './limits.ts';

/** A claim lapses after this time, in case its handler hangs or its process dies. */
export const claimMs = 5 * 60_000;

/**
 * A handled event is remembered for this time: 30 days. The retries of an event end within 15 days, and a service with
 * default settings keeps it for 30, in which it can be sent again.
 */
export const rememberMs = 30 * 24 * 3_600_000;

/**
 * - `new`: the event is claimed with the caller's token.
 * - `done`: it was handled.
 * - `busy`: a claim with another token has not lapsed.
 */
export type Claim = 'new' | 'done' | 'busy';

/**
 * Remembers events by `eventId`. Each method is atomic. The receiver makes a random token for each attempt, so that an
 * attempt whose claim has lapsed cannot end the claim of the next.
 */
export interface DeliveryStore {
  /** Of two callers at the same time one gets `new`. */
  claim(eventId: string, token: string): Claim | Promise<Claim>;
  /** The event was handled. Does nothing while a claim has another token. */
  complete(eventId: string, token: string): void | Promise<void>;
  /** It was not, and the next attempt gets `new`. Does nothing unless the claim has this token. */
  release(eventId: string, token: string): void | Promise<void>;
}

export interface MemoryDeliveryStoreOptions {
  /** How many handled events are remembered; 100,000 by default. The oldest are forgotten first. */
  countMax?: number | undefined;
  /** How long a handled event is remembered; 30 days by default. */
  keepMs?: number | undefined;
  /** How long a claim lasts; 5 minutes by default. */
  claimMs?: number | undefined;
  /** A clock in milliseconds that never goes back. */
  now?: (() => number) | undefined;
}

interface Entry {
  token: string;
  at: number;
}

/** Remembers the events of this process until it ends. */
export class MemoryDeliveryStore implements DeliveryStore {
  // Both in the order of their times.
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
    // The time of day may be set back, and would prolong a claim.
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
