// How often workflows are started: a token bucket, so that a burst fills workflows instead of Temporal.

export interface StartPaceOptions {
  startsPerSecond: number;
  /** How many may be started at once after a quiet time. */
  burst: number;
}

/** A token bucket over a clock of its user's: times are milliseconds that only go forward. */
export class StartPace {
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #countedAtMs: number;

  constructor({ startsPerSecond, burst }: StartPaceOptions, nowMs: number) {
    this.#perMs = startsPerSecond / 1_000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#countedAtMs = nowMs;
  }

  /** Takes `cost` tokens and gives true, or gives false when there are not so many. */
  take(cost: number, nowMs: number): boolean {
    this.#count(nowMs);
    if (this.#tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }

  /** How long until there are `cost` tokens, in milliseconds; 0 when there are. */
  waitMs(cost: number, nowMs: number): number {
    this.#count(nowMs);
    return Math.max(0, Math.ceil((cost - this.#tokens) / this.#perMs));
  }

  #count(nowMs: number): void {
    const gained = Math.max(0, nowMs - this.#countedAtMs) * this.#perMs;
    this.#tokens = Math.min(this.#burst, this.#tokens + gained);
    this.#countedAtMs = nowMs;
  }
}
