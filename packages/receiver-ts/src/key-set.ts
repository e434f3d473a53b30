// The public keys of an application, fetched from the service and cached.
import { type Check, checkerOf } from './ed25519.ts';
import { request } from './request.ts';
import { WebhookRefused } from './refusal.ts';
import { bytesOf } from './secrets.ts';

const secondMs = 1_000;
const dayMs = 86_400 * secondMs;
const fetchTimeoutMs = 5 * secondMs;
/** A little longer, so that the fetch itself says what failed. */
const waitMsMax = fetchTimeoutMs + 100;
const fetchEveryMsMin = 60 * secondMs;
const freshMsDefault = 300 * secondMs;
const freshMsMin = 60 * secondMs;
const freshMsMax = dayMs;
/** How long stale keys serve while no fetch ends: a removed key must not serve for a day on a quiet receiver. */
const staleMsMax = 300 * secondMs;
/** How long keys serve while they cannot be fetched again. */
const servesMsMax = dayMs;
const bytesMax = 65_536;
const keysMax = 20;

interface Fetched {
  keys: readonly Check[];
  freshMs: number;
}

export class KeySet {
  readonly #url: string;
  readonly #now: () => number;
  #keys: readonly Check[] | null = null;
  // Each of these times is when a fetch began: the last that succeeded, that ended, and the last of all.
  #fetchedAt = 0;
  #triedAt = 0;
  #begunAt: number | null = null;
  #freshMs = 0;
  #fetching: Promise<void> = Promise.resolve();
  #failure: unknown = null;

  /** Throws `TypeError` for a URL without http or https. */
  constructor(url: string, now: () => number) {
    if (typeof url !== 'string' || !/^https?:\/\/\S+$/i.test(url) || !URL.canParse(url))
      throw new TypeError('keySetUrl must be a URL that begins with http:// or https://');
    this.#url = url;
    this.#now = now;
  }

  /** Returns the keys. Stale ones are fetched meanwhile. Rejects with `WebhookRefused` if there are none. */
  async keys(): Promise<readonly Check[]> {
    if (this.#keys === null || this.#msSince(this.#fetchedAt) >= this.#freshMs) {
      this.#beginFetch();
      if (!this.#canServe()) await this.#ended();
    }
    if (this.#keys !== null && this.#msSince(this.#fetchedAt) <= servesMsMax) return this.#keys;
    throw new WebhookRefused('keys_unavailable', 'the key set could not be fetched', {
      cause: this.#failure,
    });
  }

  /** Returns other keys than `known`, fetched if that is allowed; null if there are none. */
  async otherKeys(known: readonly Check[]): Promise<readonly Check[] | null> {
    if (this.#keys === known) {
      this.#beginFetch();
      await this.#ended();
    }
    return this.#keys === known ? null : this.#keys;
  }

  #canServe(): boolean {
    if (this.#keys === null || this.#msSince(this.#fetchedAt) > servesMsMax) return false;
    return this.#msSince(this.#triedAt) < this.#freshMs + staleMsMax;
  }

  // A clock may be set back.
  #msSince(time: number): number {
    return Math.abs(this.#now() - time);
  }

  #beginFetch(): void {
    if (this.#begunAt !== null && this.#msSince(this.#begunAt) < fetchEveryMsMin) return;
    this.#begunAt = this.#now();
    this.#fetching = this.#replaceKeys(this.#begunAt);
  }

  /** Waits for the last fetch, in vain if the platform cut it off with the request that began it. */
  async #ended(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, waitMsMax);
    });
    await Promise.race([this.#fetching, timeout]);
    clearTimeout(timer);
  }

  async #replaceKeys(begunAt: number): Promise<void> {
    try {
      const { keys, freshMs } = await fetchKeys(this.#url);
      this.#keys = keys;
      this.#freshMs = freshMs;
      this.#fetchedAt = begunAt;
    } catch (error) {
      this.#failure = error;
    }
    this.#triedAt = begunAt;
  }
}

async function fetchKeys(url: string): Promise<Fetched> {
  const stop = new AbortController();
  const signal = AbortSignal.timeout(fetchTimeoutMs);
  signal.addEventListener('abort', () => stop.abort(signal.reason));
  try {
    const { status, cacheControl, parts } = await request(new URL(url), stop.signal);
    if (status !== 200) throw new Error(`the key set has the status ${status}`);
    const { keys } = JSON.parse(await readText(parts)) as { keys?: unknown };
    const checks = Array.isArray(keys) ? keys.flatMap(checkOf).slice(0, keysMax) : [];
    if (checks.length === 0) throw new Error('the key set has no Ed25519 key');
    return { keys: checks, freshMs: freshMsOf(cacheControl) };
  } finally {
    stop.abort();
  }
}

async function readText(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const part of parts) {
    bytes += part.length;
    if (bytes > bytesMax) throw new Error(`the key set is longer than ${bytesMax} bytes`);
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

// 32 bytes in base64url.
const coordinate = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

function checkOf(key: unknown): Check[] {
  const { kty, crv, x } = Object(key) as Record<string, unknown>;
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string' || !coordinate.test(x)) return [];
  return [checkerOf(bytesOf(x.replaceAll('-', '+').replaceAll('_', '/')))];
}

function freshMsOf(cacheControl: string): number {
  const [, seconds] = /(?:^|[,\s])max-age=([0-9]{1,9})[0-9]*(?:$|[,\s])/i.exec(cacheControl) ?? [];
  if (seconds === undefined) return freshMsDefault;
  return Math.min(Math.max(Number(seconds) * secondMs, freshMsMin), freshMsMax);
}
