// The secret of an admin's session: the cookie's value, its stored hash and its CSRF token.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const tokenShape = /^[A-Za-z0-9_-]{43}$/;

export function newSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Checks the form, so that an invalid token costs no read. */
export function isSessionToken(text: string): boolean {
  return tokenShape.test(text);
}

/** Returns the HMAC-SHA256 (hex) of a session's secret, which the database stores. */
export function hashSessionToken(token: string, pepper: string): string {
  return createHmac('sha256', pepper).update(`admin-session|${token}`).digest('hex');
}

/** Derives the CSRF token from the session's secret, so that it ends with the session. */
export function csrfTokenOf(token: string, pepper: string): string {
  return createHmac('sha256', pepper).update(`admin-csrf|${token}`).digest('base64url');
}

export function isCsrfToken(given: string, right: string): boolean {
  const [left, other] = [Buffer.from(given), Buffer.from(right)];
  return left.length === other.length && timingSafeEqual(left, other);
}
