import type { Context } from 'koa';

// Of HTTP and PATCH; callers may make up others.
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);

/** Returns the method as metrics and spans have it. */
export function methodOf({ method }: Pick<Context, 'method'>): string {
  return methods.has(method) ? method : '_OTHER';
}
