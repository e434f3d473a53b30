// Each event once: who handles it, and which are handled.
import { checkLimits } from './limits.ts';

/**
 * - `new`: it is the caller's now, who confirms or releases it.
 * - `done`: it was confirmed.
 * - `busy`: it is somebody else's.
 */
export type Claim = 'new' | 'done' | 'busy';

/** Remembers events by `eventId`. `claim` is atomic: of two callers at the same time one gets `new`. */
export interface DeliveryStore {
  claim(eventId: string): Claim | Promise<Claim>;
  /** The event was handled. */
  confirm(eventId: string): void | Promise<void>;
  /** It was not; the next attempt gets `new`. */
  release(eventId: string): void | Promise<void>;
}

export interface MemoryDeliveryStoreOptions {
  /** How many events are remembered; 100,000 by default. The oldest are forgotten first. */
  countMax?: number | undefined;
  /** How long a handled event is remembered; 48 hours by default. */
  keepMs?: number | undefined;
  /** After this time a claim of a handler that hangs is free again; 5 minutes by default. */
  claimMs?: number | undefined;
  now?: (() => number) | undefined;
}

interface Entry {
  isDone: boolean;
  at: number;
}

/** Remembers the events of this process until it ends. */
export class MemoryDeliveryStore implements DeliveryStore {
  /** The one that changed last is the last. */
  readonly #entries = new Map<string, Entry>();
  readonly #countMax: number;
  readonly #keepMs: number;
  readonly #claimMs: number;
  readonly #now: () => number;

  constructor(options: MemoryDeliveryStoreOptions = {}) {
    const { countMax = 100_000, keepMs = 48 * 3_600_000, claimMs = 5 * 60_000 } = options;
    checkLimits({ countMax, keepMs, claimMs });
    this.#countMax = countMax;
    this.#keepMs = keepMs;
    this.#claimMs = claimMs;
    this.#now = options.now ?? Date.now;
  }

  get size(): number {
    return this.#entries.size;
  }

  claim(eventId: string): Claim {
    const entry = this.#entries.get(eventId);
    const ageMs = this.#now() - (entry?.at ?? 0);
    if (entry?.isDone === true && ageMs < this.#keepMs) return 'done';
    if (entry?.isDone === false && ageMs < this.#claimMs) return 'busy';
    this.#put(eventId, false);
    return 'new';
  }

  confirm(eventId: string): void {
    this.#put(eventId, true);
  }

  release(eventId: string): void {
    if (this.#entries.get(eventId)?.isDone === false) this.#entries.delete(eventId);
  }

  #put(eventId: string, isDone: boolean): void {
    const at = this.#now();
    this.#entries.delete(eventId);
    this.#entries.set(eventId, { isDone, at });
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= this.#countMax && at - entry.at < this.#keepMs) return;
      this.#entries.delete(oldest);
    }
  }
}
