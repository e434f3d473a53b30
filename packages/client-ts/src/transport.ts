// Sends the requests of calls and retries them where that is safe.
import { type ExpectedResult, isType, readError, readResult } from './responses.ts';
import { checkFunction, checkLimits, checkRequestId, checkSignal, checkVisible } from './checks.ts';
import { ConnectionFailedError, HeraldError, TimedOutError } from './errors.ts';
import { version } from './generated/version.ts';
import type { CallOptions, IdempotentCallOptions, TransportOptions } from './options.ts';
import { isNotBegun, mayRepeat, type Repeats, waitMsBefore } from './retries.ts';

export interface CallFacts {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly input: 'body' | 'query' | null;
  readonly needsKey: boolean;
  readonly takesIdempotencyKey: boolean;
  readonly isRepeatable: boolean;
  /** The status of responses that are a result although they report a fault. Null if there is none. */
  readonly faultStatus: number | null;
  readonly kind: ExpectedResult['kind'];
}

export type Query =
  Readonly<Record<string, string | number | boolean | null | undefined>> | null | undefined;

export interface CallInput {
  readonly uids: readonly unknown[];
  readonly body?: unknown;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
}

interface PreparedCall {
  readonly facts: CallFacts;
  readonly url: string;
  readonly init: RequestInit;
  readonly requestId: string;
  readonly signal: AbortSignal;
  readonly cursor: unknown;
}

/** Pages cannot set `User-Agent`, and in some browsers the attempt costs a preflight request. */
const isPage = (): boolean => 'document' in globalThis;
const defaultTimeoutMs = 30_000;
const defaultRetries = 2;

/** The credentials of the caller and the application. */
interface Access {
  readonly appUid: string | undefined;
  /** Throws `TypeError` if the client lacks the credentials for the call. */
  readonly headersOf: (facts: CallFacts) => Record<string, string>;
}

export class Transport {
  readonly #options: TransportOptions;
  readonly #access: Access;
  readonly #fetch: typeof fetch;
  readonly #baseUrl: string;

  constructor(options: TransportOptions, access: Access) {
    this.#options = options;
    this.#access = access;
    this.#baseUrl = baseOf(options.url);
    this.limitsOf({});
    const { fetch: given } = options;
    checkFunction('fetch', given);
    this.#fetch = given ?? ((input, init) => fetch(input, init));
  }

  /** Makes a call and returns its result. */
  async call(facts: CallFacts, input: CallInput, options: IdempotentCallOptions): Promise<unknown> {
    const { timeoutMs, retries } = this.limitsOf(options);
    const endsAt = performance.now() + timeoutMs;
    const timeout = AbortSignal.timeout(timeoutMs);
    const prepared = {
      ...this.prepare(facts, input, options),
      signal: AbortSignal.any([timeout, ...signalsOf(options)]),
    };
    let retry = 0;
    let mayBeDone = false;
    for (;;) {
      try {
        return await this.#attempt(prepared, mayBeDone);
      } catch (error) {
        options.signal?.throwIfAborted();
        if (timeout.aborted) throw timedOut(timeoutMs, prepared.requestId, error);
        if (retry >= retries || !mayRepeat(error, repeatsOf(facts, retry))) throw error;
        retry += 1;
        mayBeDone ||= !isNotBegun(error);
        const waitMs = waitMsBefore(retry, error);
        if (performance.now() + waitMs >= endsAt) throw error;
        await wait(waitMs, options.signal);
      }
    }
  }

  /** Returns the limits of a call: its own options, or else those of the client. Throws `TypeError`. */
  limitsOf({ timeoutMs, retries }: CallOptions): { timeoutMs: number; retries: number } {
    const limits = {
      timeoutMs: timeoutMs ?? this.#options.timeoutMs ?? defaultTimeoutMs,
      retries: retries ?? this.#options.retries ?? defaultRetries,
    };
    checkLimits(limits);
    return limits;
  }

  /** Builds the request of a call. Throws `TypeError` for invalid options or uids. */
  prepare(facts: CallFacts, input: CallInput, options: IdempotentCallOptions) {
    const { requestId = crypto.randomUUID(), idempotencyKey = crypto.randomUUID() } = options;
    checkRequestId(requestId);
    checkVisible('idempotencyKey', idempotencyKey);
    const headers: Record<string, string> = {
      accept: 'application/json',
      ...(isPage() ? {} : { 'user-agent': `agent-herald-client-ts/${version}` }),
      ...input.headers,
      ...this.#access.headersOf(facts),
    };
    if (facts.needsKey) headers['x-request-id'] = requestId;
    if (facts.takesIdempotencyKey) headers['idempotency-key'] = idempotencyKey;
    if (input.body !== undefined) headers['content-type'] = 'application/json';
    const body = input.body === undefined ? null : JSON.stringify(input.body);
    const init: RequestInit = { method: facts.method, headers, body, redirect: 'manual' };
    const cursor = input.query?.['cursor'];
    return { facts, url: this.#urlOf(facts, input), init, requestId, cursor };
  }

  /** Sends a prepared request. Throws `ConnectionFailedError` if there is no response. */
  async request({ url, init, requestId, signal }: Omit<PreparedCall, 'facts'>): Promise<Response> {
    try {
      return await this.#fetch(url, { ...init, signal });
    } catch (error) {
      throw connectionFailed(new URL(url).origin, requestId, error);
    }
  }

  async #attempt(prepared: PreparedCall, mayBeDone: boolean): Promise<unknown> {
    const { facts, url, requestId, cursor } = prepared;
    const response = await this.request(prepared);
    try {
      const isFault = response.status === facts.faultStatus;
      if (response.ok || (isFault && isType(response, 'application/json')))
        return await readResult(response, requestId, { kind: facts.kind, cursor });
      // A previous attempt deleted it, and its response was lost.
      if (facts.method === 'DELETE' && mayBeDone && response.status === 404) return undefined;
      throw await readError(response, requestId);
    } catch (error) {
      if (error instanceof HeraldError) throw error;
      throw connectionFailed(new URL(url).origin, requestId, error);
    }
  }

  #urlOf({ path }: CallFacts, { uids, query }: CallInput): string {
    const values = [...(path.includes('{appUid}') ? [this.#access.appUid] : []), ...uids];
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      segmentOf(name, values.shift()),
    );
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined && value !== null) search.set(name, String(value));
    return `${this.#baseUrl}${filled}${search.size === 0 ? '' : `?${search}`}`;
  }
}

/** Returns an address without slashes at its end. Errors do not show it, because it may contain a password. */
function baseOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  // The parser would drop some of these characters and encode others.
  const isHidden = /[\p{C}\p{Z}]/u.test(address);
  if (url === null || isHidden || !['http:', 'https:'].includes(url.protocol))
    throw new TypeError('url must be one like https://agents.example.com');
  if (url.username !== '' || url.password !== '' || /[?#]/.test(url.href))
    throw new TypeError('url must have no user, query or fragment');
  return url.href.replace(/\/+$/, '');
}

/** Returns a uid as a path segment. Throws `TypeError` for an empty one, which would address another call. */
export function segmentOf(name: string, value: unknown): string {
  // Half a surrogate pair cannot be encoded.
  if (typeof value !== 'string' || ['', '.', '..'].includes(value) || /\p{Cs}/u.test(value)) {
    const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
    throw new TypeError(`${name} must be the uid of something, not ${shown}`);
  }
  return encodeURIComponent(value);
}

function repeatsOf({ isRepeatable, takesIdempotencyKey }: CallFacts, count: number): Repeats {
  return { isRepeatable, hasIdempotencyKey: takesIdempotencyKey, count };
}

/** Returns the error for a request without a complete response. */
export function connectionFailed(origin: string, requestId: string, cause: unknown): HeraldError {
  const inner = cause instanceof Error ? (cause.cause ?? cause) : cause;
  const reason = inner instanceof Error ? inner.message || inner.name : String(inner);
  const detail = `no complete response from ${origin}: ${reason}`;
  return new ConnectionFailedError({ code: 'connection_failed', detail, requestId, cause });
}

function timedOut(timeoutMs: number, requestId: string, cause: unknown): HeraldError {
  const detail = `the call took longer than ${timeoutMs} ms`;
  return new TimedOutError({ code: 'timed_out', detail, requestId, cause });
}

/** Returns the signal of the options, if there is one. Throws `TypeError` for something else. */
export function signalsOf({ signal }: CallOptions): AbortSignal[] {
  checkSignal(signal);
  return signal ? [signal] : [];
}

/** Waits. Throws the reason of the signal if it is aborted before the end. */
export async function wait(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, waitMs);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
