/** A token bucket for workflow starts; times are milliseconds of a monotonic clock. */
export class StartPace {
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #countedAtMs: number;

  constructor(
    { startsPerSecond, burst }: { startsPerSecond: number; burst: number },
    nowMs: number,
  ) {
    this.#perMs = startsPerSecond / 1_000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#countedAtMs = nowMs;
  }

  /** Takes `cost` tokens, or none and returns false. */
  take(cost: number, nowMs: number): boolean {
    this.#count(nowMs);
    if (this.#tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }

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
