// Headers that every answer carries, so that no browser or cache makes more of it than it is.
import type { Middleware } from 'koa';

const yearSeconds = 365 * 24 * 60 * 60;

/**
 * Gives the headers. Answers may hold secrets and tokens, so nothing stores them unless a handler says
 * otherwise, and none is a page: no browser runs, frames or embeds anything of it, or tells where it
 * came from (OWASP REST Security Cheat Sheet). Over https browsers stay with it (RFC 6797).
 */
export function securityHeaders(publicUrl: string): Readonly<Record<string, string>> {
  const isHttps = new URL(publicUrl).protocol === 'https:';
  return {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(isHttps ? { 'strict-transport-security': `max-age=${yearSeconds}` } : {}),
  };
}

export function setSecurityHeaders(publicUrl: string): Middleware {
  const headers = securityHeaders(publicUrl);
  return async (ctx, next) => {
    ctx.set(headers);
    await next();
  };
}
