// Remembers the newest handled change of each resource.
import { checkLimits } from './limits.ts';

/** Stores the highest handled sequence of each resource. */
export interface SequenceStore {
  /** Returns the highest handled sequence, or 0 if there is none. */
  newest(resource: string): number | Promise<number>;
  /** Records a handled sequence unless a higher one is recorded. Must be atomic. */
  advance(resource: string, sequence: number): void | Promise<void>;
}

const countMaxDefault = 100_000;

/** Keeps the sequences in memory, until the process ends. */
export class MemorySequenceStore implements SequenceStore {
  /** Ordered by the latest change. */
  readonly #newest = new Map<string, number>();
  readonly #countMax: number;

  /** Keeps the `countMax` resources that changed last; 100,000 by default. */
  constructor({ countMax = countMaxDefault }: { countMax?: number | undefined } = {}) {
    checkLimits({ countMax });
    this.#countMax = countMax;
  }

  get size(): number {
    return this.#newest.size;
  }

  newest(resource: string): number {
    return this.#newest.get(resource) ?? 0;
  }

  advance(resource: string, sequence: number): void {
    if (this.newest(resource) > sequence) return;
    this.#newest.delete(resource);
    this.#newest.set(resource, sequence);
    for (const oldest of this.#newest.keys()) {
      if (this.#newest.size <= this.#countMax) return;
      this.#newest.delete(oldest);
    }
  }
}
