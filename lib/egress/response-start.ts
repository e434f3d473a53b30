import { egressLimits } from '../limits.ts';

const { headerBytesMax, responseSampleBytesMax } = egressLimits;
const bytesKeptMax = headerBytesMax + responseSampleBytesMax;

export type ResponseHeaders = (name: string) => string | null;

// Any white space may separate its parts (RFC 9112 §4).
const statusLine = /^HTTP\/\d(?:\.\d)?[ \t]+([2-9]\d\d)(?=[ \t\r\n])/;
const statusCharactersMax = 64;

/** The raw start of a final response, in case undici's strict parser rejects it. */
export class ResponseStart {
  #chunks: Buffer[] = [];
  #bytesKept = 0;
  #lineEnded = false;

  add(bytes: Buffer): void {
    const fresh = this.#bytesKept === 0 ? withoutEmptyLines(bytes) : bytes;
    this.#lineEnded ||= fresh.includes('\n');
    const kept = fresh.subarray(0, bytesKeptMax - this.#bytesKept);
    if (kept.length > 0) this.#chunks.push(kept);
    this.#bytesKept += kept.length;
  }

  /** Frees the memory when undici reads the response itself. */
  drop(): void {
    this.#chunks = [];
  }

  /** Returns null until the status line is complete. */
  status(): number | null {
    if (!this.#lineEnded) return null;
    const start = Buffer.concat(this.#chunks, Math.min(this.#bytesKept, statusCharactersMax));
    const code = statusLine.exec(start.toString('latin1'))?.[1];
    return code === undefined ? null : Number(code);
  }

  /** Parses the response as leniently as most clients: with folded lines, blanks around names and lines without CR. */
  read(): { headers: ResponseHeaders; body: Buffer } {
    const text = Buffer.concat(this.#chunks).toString('latin1');
    const end = /\r?\n\r?\n/.exec(text);
    const bodyAt = end === null ? text.length : end.index + end[0].length;
    const lines = text
      .slice(0, end?.index)
      .replaceAll(/\r?\n[ \t]+/g, ' ')
      .split(/\r?\n/);
    const headers = new Map<string, string>();
    for (const line of lines.slice(1)) {
      const colon = line.indexOf(':');
      const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
      if (!headers.has(name))
        headers.set(
          name,
          line
            .slice(colon + 1)
            .replaceAll('\r', ' ')
            .trim(),
        );
    }
    const isChunked = /chunked/i.test(headers.get('transfer-encoding') ?? '');
    const body = isChunked ? withoutChunks(text.slice(bodyAt)) : text.slice(bodyAt);
    return {
      headers: (name) => headers.get(name) ?? null,
      body: Buffer.from(body, 'latin1').subarray(0, responseSampleBytesMax),
    };
  }
}

// Undici skips them too.
function withoutEmptyLines(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0x0d && byte !== 0x0a);
  return first === -1 ? Buffer.alloc(0) : bytes.subarray(first);
}

const chunkStart = /(?:\r?\n)?[ \t]*([0-9a-f]{1,8})[ \t]*(?:;[^\n]*)?\r?\n/iy;

// Returns text that is not chunked unchanged.
function withoutChunks(text: string): string {
  let body = '';
  let at = 0;
  while (at < text.length) {
    chunkStart.lastIndex = at;
    const found = chunkStart.exec(text);
    const size = Number.parseInt(found?.[1] ?? '0', 16);
    if (found === null || size === 0) return at === 0 && found === null ? text : body;
    const from = at + found[0].length;
    body += text.slice(from, from + size);
    at = from + size;
  }
  return body;
}
