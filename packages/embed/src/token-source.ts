import { type HeldToken, holdToken, startClock } from './held-token.ts';
import { TokenError } from './token-error.ts';

export interface TokenSourceOptions {
  /**
   * Calls your back end, which signs the visitor in. Returns its response, whose JSON has an `authToken`, or the token
   * itself. `signal` aborts after 10 s, and when the source is closed.
   */
  fetchToken: (options: { signal: AbortSignal }) => Promise<Response | string>;
}

/** `expired`: its time was over. `revoked`: it was not, so it was revoked. `replaced`: it is no longer the present token. */
export type Reported = 'expired' | 'revoked' | 'replaced';

export interface TokenSource {
  /** Returns a valid token, and waits for one if necessary. Concurrent callers share a call. Throws a `TokenError`. */
  getToken: () => Promise<string>;
  /** Drops a token that the service refused, so that the next one is new. Returns why it was refused. */
  report: (token: string) => Reported;
  /** Ends renewals and calls. */
  close: () => void;
}

const callMsMax = 10_000;
/** The waits before another try, at most; each is shortened at random, by up to a half. */
const retryMs = [1_000, 2_000, 4_000];
const renewalRetryMs = 30_000;
/** The least time between two calls, however often a page asks. */
const callGapMs = 500;
const renewalMsMin = 10_000;
/** A timer with a longer time fires immediately. */
const renewalMsMax = 2 ** 31 - 1;
/** A token is no longer given out so shortly before its end. */
const spareMs = 5_000;

/** Keeps the token of an embedded session valid: renews it before its end, and never stores it. */
export function createTokenSource({ fetchToken }: TokenSourceOptions): TokenSource {
  if (typeof fetchToken !== 'function') throw new TypeError('fetchToken must be a function');
  const closing = new AbortController();
  const closed = closing.signal;
  let held: HeldToken | null = null;
  let renewal: Promise<string> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sinceCallMs = (): number => callGapMs;

  const restMs = (): number => (held === null ? 0 : held.lifetimeMs - held.ageMs());
  const drop = (): void => {
    held = null;
    clearTimeout(timer);
  };
  const renewIn = (waitMs: number): void => {
    clearTimeout(timer);
    const timerMs = Math.min(Math.max(waitMs, renewalMsMin), renewalMsMax);
    if (!closed.aborted) timer = setTimeout(() => void renew().catch(() => undefined), timerMs);
  };
  const callAfterGap = async (): Promise<Called> => {
    const gapMs = callGapMs - sinceCallMs();
    if (gapMs > 0) await pause(gapMs, closed);
    sinceCallMs = startClock();
    return call(fetchToken, closed);
  };

  /** Shares a renewal among its callers. The next one is due at 70 to 90 % of the lifetime. */
  function renew(): Promise<string> {
    renewal ??= callWithRetries(callAfterGap, closed)
      .then((next) => {
        held = next;
        renewIn(next.lifetimeMs * (0.7 + Math.random() / 5));
        return next.token;
      })
      .catch((error: unknown) => {
        // A back end that refuses has ended the session; otherwise the present token lasts until its end.
        if (error instanceof TokenError && error.reason === 'refused') drop();
        else if (restMs() > spareMs) renewIn(jittered(renewalRetryMs));
        throw error;
      })
      .finally(() => {
        renewal = null;
      });
    return renewal;
  }

  return {
    getToken: async () => {
      if (closed.aborted) throw new TokenError('closed');
      // Timers stand still while a computer sleeps, so the age is checked here, too.
      return held !== null && restMs() > Math.min(spareMs, held.lifetimeMs / 2)
        ? held.token
        : renew();
    },
    report: (token) => {
      if (held?.token !== token) return 'replaced';
      const reported = restMs() > 0 ? 'revoked' : 'expired';
      drop();
      return reported;
    },
    close: () => {
      drop();
      closing.abort();
    },
  };
}

type Called =
  | { held: HeldToken; error?: undefined; waitMs?: undefined }
  | { held?: undefined; error: TokenError; waitMs?: number };

async function callWithRetries(
  callOnce: () => Promise<Called>,
  closed: AbortSignal,
): Promise<HeldToken> {
  for (let tries = 0; ; tries += 1) {
    const { held, error, waitMs = 0 } = await callOnce();
    if (closed.aborted) throw new TokenError('closed');
    if (held !== undefined) return held;
    const pauseMs = retryMs[tries];
    if (error.reason !== 'unavailable' || pauseMs === undefined || waitMs > callMsMax) throw error;
    await pause(Math.max(waitMs, jittered(pauseMs)), closed);
  }
}

async function call(
  fetchToken: TokenSourceOptions['fetchToken'],
  closed: AbortSignal,
): Promise<Called> {
  const calling = new AbortController();
  const { signal } = calling;
  const abort = (): void => calling.abort();
  const timer = setTimeout(abort, callMsMax);
  closed.addEventListener('abort', abort);
  // A function that ignores the signal ends, too.
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
  aborted.catch(() => undefined);
  try {
    const result: unknown = await Promise.race([fetchToken({ signal }), aborted]);
    if (!isResponse(result)) return heldOf(result);
    if (result.status === 401 || result.status === 403) {
      return { error: new TokenError('refused', result) };
    }
    if (result.ok) return heldOf(await Promise.race([readToken(result), aborted]), result);
    const waitMs = Number(result.headers.get('retry-after') ?? 0) * 1_000 || 0;
    return { error: new TokenError('unavailable', result), waitMs };
  } catch (cause) {
    return { error: new TokenError('unavailable', cause) };
  } finally {
    clearTimeout(timer);
    closed.removeEventListener('abort', abort);
  }
}

/** Checks for a response of `fetch`, also for one of another window. */
function isResponse(result: unknown): result is Response {
  return typeof (result as Response | null | undefined)?.json === 'function';
}

/** Returns the `authToken` of a body, or something else if the body has none. Throws if the body is incomplete. */
async function readToken(response: Response): Promise<unknown> {
  if (response.bodyUsed) return null;
  const body: unknown = await response.json().catch((error: unknown) => {
    // Not `instanceof`: it may be the error of another window.
    if ((error as Error | null)?.name === 'SyntaxError') return null;
    throw error;
  });
  return (body as { authToken?: unknown } | null)?.authToken;
}

function heldOf(token: unknown, response?: Response): Called {
  const held = holdToken(token);
  return held === null ? { error: new TokenError('invalid', response) } : { held };
}

function jittered(ms: number): number {
  return ms * (1 - Math.random() / 2);
}

/** Throws a `TokenError` if the source is closed meanwhile. */
function pause(ms: number, closed: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new TokenError('closed'));
    };
    const timer = setTimeout(() => {
      closed.removeEventListener('abort', stop);
      resolve();
    }, ms);
    closed.addEventListener('abort', stop);
  });
}
