// The newest change seen of each resource.
import { checkLimits } from './limits.ts';

/** Remembers the highest sequence of each resource. */
export interface SequenceStore {
  /** Records the sequence, unless a higher one is recorded: then it returns false. Atomic. */
  advance(resource: string, sequence: number): boolean | Promise<boolean>;
}

const countMaxDefault = 100_000;

/** Remembers the sequences of this process until it ends. */
export class MemorySequenceStore implements SequenceStore {
  /** The resource that changed last is the last. */
  readonly #latest = new Map<string, number>();
  readonly #countMax: number;

  /** Remembers at most so many resources, those that changed last. */
  constructor({ countMax = countMaxDefault }: { countMax?: number | undefined } = {}) {
    checkLimits({ countMax });
    this.#countMax = countMax;
  }

  get size(): number {
    return this.#latest.size;
  }

  advance(resource: string, sequence: number): boolean {
    if ((this.#latest.get(resource) ?? 0) > sequence) return false;
    this.#latest.delete(resource);
    this.#latest.set(resource, sequence);
    for (const oldest of this.#latest.keys()) {
      if (this.#latest.size <= this.#countMax) break;
      this.#latest.delete(oldest);
    }
    return true;
  }
}
