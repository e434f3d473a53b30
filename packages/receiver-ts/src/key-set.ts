// The public keys of an application, fetched from the service and cached.
import { type Check, checkerOf } from './ed25519.ts';
import { WebhookRefused } from './refusal.ts';
import { bytesOf } from './secrets.ts';

const secondMs = 1_000;
const dayMs = 86_400 * secondMs;
const fetchTimeoutMs = 5 * secondMs;
const fetchEveryMsMin = 60 * secondMs;
const freshMsDefault = 300 * secondMs;
const freshMsMin = 60 * secondMs;
const freshMsMax = dayMs;
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
  #fetchedAt = 0;
  #freshMs = 0;
  #begunAt: number | null = null;
  #fetching: Promise<void> | null = null;
  #failure: unknown = null;

  /** Throws `TypeError` for a URL without http or https. */
  constructor(url: string, now: () => number) {
    if (typeof url !== 'string' || !/^https?:\/\/./.test(url) || !URL.canParse(url))
      throw new TypeError('keySetUrl must be a URL that begins with http:// or https://');
    this.#url = url;
    this.#now = now;
  }

  /** Returns the keys, fetched if they are stale. Rejects with `WebhookRefused` if there are none. */
  async keys(): Promise<readonly Check[]> {
    if (this.#keys === null || this.#ageMs() >= this.#freshMs) await this.#fetch();
    if (this.#keys !== null && this.#ageMs() <= servesMsMax) return this.#keys;
    throw new WebhookRefused('keys_unavailable', 'the key set could not be fetched', {
      cause: this.#failure,
    });
  }

  /** Returns other keys than `known`, fetched if that is allowed; null if there are none. */
  async otherKeys(known: readonly Check[]): Promise<readonly Check[] | null> {
    if (this.#keys === known) await this.#fetch();
    return this.#keys === known ? null : this.#keys;
  }

  // A clock may be set back.
  #ageMs(): number {
    return Math.abs(this.#now() - this.#fetchedAt);
  }

  async #fetch(): Promise<void> {
    const now = this.#now();
    const isAllowed = this.#begunAt === null || Math.abs(now - this.#begunAt) >= fetchEveryMsMin;
    if (this.#fetching === null && isAllowed) {
      this.#begunAt = now;
      this.#fetching = this.#replaceKeys().finally(() => (this.#fetching = null));
    }
    await this.#fetching;
  }

  async #replaceKeys(): Promise<void> {
    try {
      const { keys, freshMs } = await fetchKeys(this.#url);
      this.#keys = keys;
      this.#freshMs = freshMs;
      this.#fetchedAt = this.#now();
    } catch (error) {
      this.#failure = error;
    }
  }
}

async function fetchKeys(url: string): Promise<Fetched> {
  const signal = AbortSignal.timeout(fetchTimeoutMs);
  const response = await fetch(url, { redirect: 'manual', signal });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the key set has the status ${response.status}`);
  }
  const { keys } = JSON.parse(await readText(response)) as { keys?: unknown };
  const checks = Array.isArray(keys) ? keys.flatMap(checkOf).slice(0, keysMax) : [];
  if (checks.length === 0) throw new Error('the key set has no Ed25519 key');
  return { keys: checks, freshMs: freshMsOf(response.headers.get('cache-control') ?? '') };
}

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  const reader = body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return text + decoder.decode();
    bytes += part.value.length;
    if (bytes > bytesMax) {
      await reader?.cancel();
      throw new Error(`the key set is longer than ${bytesMax} bytes`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
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
