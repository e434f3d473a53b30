// The rest is reserved for others, however much one asks for.
const shareOfKey = 3 / 4;

/** A limit shared by applications, or by other keys: each holds at most three quarters of it. */
export class SharedLimit {
  readonly max: number;
  readonly maxOfKey: number;
  readonly #heldBy = new Map<string, number>();
  #held = 0;

  constructor(max: number) {
    this.max = max;
    this.maxOfKey = Math.max(1, Math.floor(max * shareOfKey));
  }

  get held(): number {
    return this.#held;
  }

  heldBy(key: string): number {
    return this.#heldBy.get(key) ?? 0;
  }

  /** Checks whether the key may take more; the last amount taken may exceed the limit. */
  hasRoom(key: string): boolean {
    return this.#held < this.max && this.heldBy(key) < this.maxOfKey;
  }

  /** Runs `work` in the share of the key; returns null, and runs nothing, if there is no room. */
  runIfRoom<T>(key: string, work: () => Promise<T>): Promise<T> | null {
    if (!this.hasRoom(key)) return null;
    this.take(key);
    return work().finally(() => this.release(key));
  }

  take(key: string, count = 1): void {
    this.#held += count;
    this.#heldBy.set(key, this.heldBy(key) + count);
  }

  release(key: string, count = 1): void {
    this.#held -= count;
    const held = this.heldBy(key) - count;
    if (held === 0) this.#heldBy.delete(key);
    else this.#heldBy.set(key, held);
  }
}
