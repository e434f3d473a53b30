import { BSON } from 'mongodb';
import { inSlices } from '../concurrency/in-slices.ts';

interface Kept<D> {
  bytes: Buffer;
  document: D;
}

/**
 * Parses documents read with `raw: true`. A document with the same bytes as last time is not parsed again but returned
 * as the same object, which nobody may change.
 */
export class DocumentParser<D> {
  readonly #bytesMax: number;
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept<D>>();
  #bytes = 0;

  /** `bytesMax` bounds the cached documents. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  async parse(documents: readonly Buffer[]): Promise<D[]> {
    const parsed: D[] = [];
    for await (const bytes of inSlices(documents)) parsed.push(this.#parse(bytes));
    return parsed;
  }

  #parse(bytes: Buffer): D {
    // The key contains the `_id`; equality is checked on all bytes.
    const name = bytes.toString('latin1', 0, 64);
    const before = this.#kept.get(name);
    const isSame = before?.bytes.equals(bytes) === true;
    // Copied, because the driver's buffer is part of the whole response.
    const kept = isSame
      ? before
      : { bytes: Buffer.from(bytes), document: BSON.deserialize(bytes) as D };
    this.#remove(name);
    this.#kept.set(name, kept);
    this.#bytes += bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#remove(oldest);
    }
    return kept.document;
  }

  #remove(name: string): void {
    this.#bytes -= this.#kept.get(name)?.bytes.length ?? 0;
    this.#kept.delete(name);
  }
}
