import type { Middleware } from 'koa';

const yearSeconds = 365 * 24 * 60 * 60;

/** OWASP REST Security Cheat Sheet: responses must not be stored, embedded or run. HSTS: RFC 6797. */
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
