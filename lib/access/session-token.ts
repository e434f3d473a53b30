// The secret of an admin's session: what the cookie holds, what is stored of it, and its CSRF token.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const tokenBytes = 32;
const tokenShape = /^[A-Za-z0-9_-]{43}$/;

/** Makes the secret of a new session: 256 random bits. */
export function newSessionToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

/** Tells whether a text can be such a secret, so that nonsense costs no read. */
export function isSessionToken(text: string): boolean {
  return tokenShape.test(text);
}

/** The HMAC-SHA256 (hex) of a session's secret under the service's pepper: its id in the database. */
export function hashSessionToken(token: string, pepper: string): string {
  return createHmac('sha256', pepper).update(`admin-session|${token}`).digest('hex');
}

/**
 * The token that a page of ours sends beside the cookie. It is made from the session's secret, so it
 * needs no place of its own and ends with the session.
 */
export function csrfTokenOf(token: string, pepper: string): string {
  return createHmac('sha256', pepper).update(`admin-csrf|${token}`).digest('base64url');
}

/** Compares a CSRF token with the right one, in a time that tells nothing. */
export function isCsrfToken(given: string, right: string): boolean {
  const [left, other] = [Buffer.from(given), Buffer.from(right)];
  return left.length === other.length && timingSafeEqual(left, other);
}
