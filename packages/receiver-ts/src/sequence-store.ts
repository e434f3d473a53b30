// The newest change of each resource that was handled.
import { checkLimits } from './limits.ts';

/** Remembers the highest sequence of each resource. */
export interface SequenceStore {
  /** Returns the highest sequence that was handled; 0 if there is none. */
  newest(resource: string): number | Promise<number>;
  /** Records a sequence that was handled, unless a higher one is recorded. Atomic. */
  advance(resource: string, sequence: number): void | Promise<void>;
}

const countMaxDefault = 100_000;

/** Remembers the sequences of this process until it ends. */
export class MemorySequenceStore implements SequenceStore {
  /** The resource that changed last is the last. */
  readonly #newest = new Map<string, number>();
  readonly #countMax: number;

  /** Remembers the resources that changed last, `countMax` of them. */
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
