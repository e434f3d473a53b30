import { type HeldToken, holdToken } from './held-token.ts';
import { TokenError } from './token-error.ts';

export interface TokenSourceOptions {
  /**
   * Calls your back end, which signs the visitor in. Returns its response, whose JSON has an `authToken`, or the token
   * itself. `signal` aborts after 10 s, and when the source is closed.
   */
  fetchToken: (options: { signal: AbortSignal }) => Promise<Response | string>;
}

/** `expired`: its time was over. `revoked`: it was not, so it was revoked. `replaced`: there is a newer token already. */
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
/** A token is no longer given out so shortly before its end. */
const spareMs = 5_000;

/** Keeps the token of an embedded session valid: renews it before its end, and never stores it. */
export function createTokenSource({ fetchToken }: TokenSourceOptions): TokenSource {
  const closing = new AbortController();
  let held: HeldToken | null = null;
  let renewal: Promise<string> | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const restMs = (): number => (held === null ? 0 : held.lifetimeMs - held.ageMs());
  const drop = (): void => {
    held = null;
    clearTimeout(timer);
  };
  const renewIn = (waitMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void renew().catch(() => undefined), waitMs);
  };

  /** Shares a renewal among its callers. The next one is due at 70 to 90 % of the lifetime. */
  function renew(): Promise<string> {
    renewal ??= callWithRetries(fetchToken, closing.signal)
      .then((next) => {
        held = next;
        renewIn(next.lifetimeMs * (0.7 + Math.random() / 5));
        return next.token;
      })
      .catch((error: unknown) => {
        // A back end that refuses has ended the session; otherwise the present token lasts until its end.
        if (error instanceof TokenError && error.reason === 'refused') drop();
        else if (restMs() > spareMs && !closing.signal.aborted) renewIn(jittered(renewalRetryMs));
        throw error;
      })
      .finally(() => {
        renewal = null;
      });
    return renewal;
  }

  return {
    getToken: async () => {
      if (closing.signal.aborted) throw new TokenError('closed');
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

async function callWithRetries(
  fetchToken: TokenSourceOptions['fetchToken'],
  closed: AbortSignal,
): Promise<HeldToken> {
  for (let tries = 0; ; tries += 1) {
    const { held, error, waitMs = 0 } = await call(fetchToken, closed);
    if (closed.aborted) throw new TokenError('closed');
    if (held !== undefined) return held;
    const pauseMs = retryMs[tries];
    if (error.reason !== 'unavailable' || pauseMs === undefined || waitMs > callMsMax) throw error;
    await pause(Math.max(waitMs, jittered(pauseMs)), closed);
    if (closed.aborted) throw new TokenError('closed');
  }
}

type Called =
  | { held: HeldToken; error?: undefined; waitMs?: undefined }
  | { held?: undefined; error: TokenError; waitMs?: number };

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
    const answer = await Promise.race([fetchToken({ signal }), aborted]);
    if (typeof answer === 'string') return heldOf(answer);
    if (answer.status === 401 || answer.status === 403) {
      return { error: new TokenError('refused', answer) };
    }
    if (answer.ok) {
      const body = (await Promise.race([answer.json(), aborted])) as { authToken?: unknown } | null;
      return heldOf(body?.authToken);
    }
    const waitMs = Number(answer.headers.get('retry-after') ?? 0) * 1_000 || 0;
    return { error: new TokenError('unavailable', answer), waitMs };
  } catch (cause) {
    // A body that is not JSON is a fault of the back end, which a proxy in front of it may repair.
    return { error: new TokenError('unavailable', cause) };
  } finally {
    clearTimeout(timer);
    closed.removeEventListener('abort', abort);
  }
}

function heldOf(token: unknown): Called {
  const held = holdToken(token);
  return held === null ? { error: new TokenError('invalid') } : { held };
}

function jittered(ms: number): number {
  return ms * (1 - Math.random() / 2);
}

function pause(ms: number, closed: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    closed.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
