import { egressLimits } from '../limits.ts';

const { headerBytesMax, responseSampleBytesMax } = egressLimits;
const bytesKeptMax = headerBytesMax + responseSampleBytesMax;

/** Returns the value of a header by its lower-case name. */
export type ResponseHeaders = (name: string) => string | null;

// Any white space may divide its parts (RFC 9112 §4).
const statusLine = /^HTTP\/\d(?:\.\d)?[ \t]+([2-9]\d\d)(?=[ \t\r\n])/;
const statusCharactersMax = 64;

/** The start of a final response as it came, for one that undici's strict parser refuses. */
export class ResponseStart {
  readonly #chunks: Buffer[] = [];
  #bytesKept = 0;
  #lineEnded = false;

  add(bytes: Buffer): void {
    const fresh = this.#bytesKept === 0 ? withoutEmptyLines(bytes) : bytes;
    this.#lineEnded ||= fresh.includes('\n');
    // Copied: the chunk would keep a larger buffer in memory.
    const kept = Buffer.from(fresh.subarray(0, bytesKeptMax - this.#bytesKept));
    if (kept.length > 0) this.#chunks.push(kept);
    this.#bytesKept += kept.length;
  }

  /** Returns null until the status line is complete. */
  status(): number | null {
    if (!this.#lineEnded) return null;
    const start = Buffer.concat(this.#chunks, Math.min(this.#bytesKept, statusCharactersMax));
    const code = statusLine.exec(start.toString('latin1'))?.[1];
    return code === undefined ? null : Number(code);
  }

  /** Reads what came as most clients do: with folded lines, blanks around names and lines without CR. */
  read(): { headers: ResponseHeaders; body: Buffer } {
    const text = Buffer.concat(this.#chunks).toString('latin1');
    const end = /\r?\n\r?\n/.exec(text);
    const bodyAt = end === null ? text.length : end.index + end[0].length;
    const lines = text
      .slice(0, end?.index)
      .replaceAll(/[\r\n]+[ \t]+/g, ' ')
      .split(/[\r\n]+/);
    const headers = new Map<string, string>();
    for (const line of lines.slice(1)) {
      const colon = line.indexOf(':');
      const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
      if (!headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
    }
    const body = Buffer.from(text.slice(bodyAt), 'latin1').subarray(0, responseSampleBytesMax);
    return { headers: (name) => headers.get(name) ?? null, body };
  }
}

// Undici skips them too.
function withoutEmptyLines(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0x0d && byte !== 0x0a);
  return first === -1 ? Buffer.alloc(0) : bytes.subarray(first);
}
