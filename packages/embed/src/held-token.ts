/** A token and the time until which it is valid. */
export interface HeldToken {
  readonly token: string;
  readonly lifetimeMs: number;
  /** Returns how long the token has been held. */
  ageMs(): number;
}

/** In seconds: the year 5138, or in milliseconds 1973. So a time in milliseconds is no time. */
const secondsMax = 1e11;

/**
 * Returns the token with its lifetime (`exp` − `iat`), which begins now: the clock of a browser may be wrong, so it is not
 * compared with that of the service. Returns null for anything else than a JWT with both claims (RFC 7519).
 */
export function holdToken(token: unknown): HeldToken | null {
  if (typeof token !== 'string') return null;
  const lifetimeMs = lifetimeOf(token);
  return lifetimeMs > 0 ? { token, lifetimeMs, ageMs: startClock() } : null;
}

/** Returns a function that returns the milliseconds since now. */
export function startClock(): () => number {
  const wall = Date.now();
  const steady = performance.now();
  // The steady clock may stand still while a computer sleeps, and the wall clock may be set back.
  return () => Math.max(Date.now() - wall, performance.now() - steady);
}

function lifetimeOf(token: string): number {
  try {
    const [, payload = ''] = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(token) ?? [];
    const json = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
    const { exp, iat } = JSON.parse(json) as { exp?: unknown; iat?: unknown };
    const areTimes = typeof exp === 'number' && typeof iat === 'number';
    return areTimes && iat >= 0 && exp < secondsMax ? (exp - iat) * 1_000 : 0;
  } catch {
    return 0;
  }
}
