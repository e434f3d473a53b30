/** A token and the time until which it is valid. */
export interface HeldToken {
  readonly token: string;
  readonly lifetimeMs: number;
  /** Returns how long the token has been held. */
  ageMs(): number;
}

/**
 * Returns the token with its lifetime (`exp` − `iat`), which begins now: the clock of a browser may be wrong, so it is not
 * compared with that of the service. Returns null for something else than a JWT with both claims (RFC 7519).
 */
export function holdToken(token: unknown): HeldToken | null {
  const lifetimeMs = typeof token === 'string' ? lifetimeOf(token) : Number.NaN;
  if (typeof token !== 'string' || !(lifetimeMs > 0)) return null;
  const wall = Date.now();
  const steady = performance.now();
  // The steady clock may stand still while a computer sleeps, and the wall clock may be set back.
  const ageMs = () => Math.max(Date.now() - wall, performance.now() - steady);
  return { token, lifetimeMs, ageMs };
}

function lifetimeOf(token: string): number {
  try {
    const payload = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const { exp, iat } = JSON.parse(atob(payload)) as { exp?: unknown; iat?: unknown };
    return (Number(exp) - Number(iat)) * 1_000;
  } catch {
    return Number.NaN;
  }
}
