// The rest is reserved for others, however much one application asks for.
const shareOfApplication = 3 / 4;

/** A limit shared by applications, or by other keys: each holds at most three quarters of it. */
export class SharedLimit {
  readonly max: number;
  readonly maxOfApplication: number;
  readonly #heldBy = new Map<string, number>();
  #held = 0;

  constructor(max: number) {
    this.max = max;
    this.maxOfApplication = Math.max(1, Math.floor(max * shareOfApplication));
  }

  get held(): number {
    return this.#held;
  }

  heldBy(appUid: string): number {
    return this.#heldBy.get(appUid) ?? 0;
  }

  /** Checks whether the application may take more; the last amount taken may exceed the limit. */
  hasRoom(appUid: string): boolean {
    return this.#held < this.max && this.heldBy(appUid) < this.maxOfApplication;
  }

  /** Runs `work` in the application's share; returns null, and runs nothing, if there is no room. */
  runIfRoom<T>(appUid: string, work: () => Promise<T>): Promise<T> | null {
    if (!this.hasRoom(appUid)) return null;
    this.take(appUid);
    return work().finally(() => this.release(appUid));
  }

  take(appUid: string, count = 1): void {
    this.#held += count;
    this.#heldBy.set(appUid, this.heldBy(appUid) + count);
  }

  release(appUid: string, count = 1): void {
    this.#held -= count;
    const held = this.heldBy(appUid) - count;
    if (held === 0) this.#heldBy.delete(appUid);
    else this.#heldBy.set(appUid, held);
  }
}
