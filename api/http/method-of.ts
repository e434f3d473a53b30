import type { Context } from 'koa';

// The methods of HTTP and PATCH. Callers can invent others.
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);

/** Returns the method for use in metrics and spans. */
export function methodOf({ method }: Pick<Context, 'method'>): string {
  return methods.has(method) ? method : '_OTHER';
}
