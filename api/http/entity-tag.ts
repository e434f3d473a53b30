// Conditional requests (RFC 9110 §13). Only GETs of cacheable content have an entity tag, and nothing has a
// Last-Modified, so `If-None-Match` is the only condition.
import { createHash } from 'node:crypto';
import type { Context } from 'koa';

/** Returns the strong entity tag of the content. */
export function entityTagOf(content: Buffer | string): string {
  return `"${createHash('sha256').update(content).digest('base64url')}"`;
}

const entityTag = /(?:W\/)?("[!#-~\u0080-\u00ff]*")/g;

/** Checks whether `If-None-Match` contains the tag, by weak comparison (RFC 9110 §8.8.3.2, §13.1.2). */
export function isNamed(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return [...ifNoneMatch.matchAll(entityTag)].some(([, opaque]) => opaque === tag);
}

/**
 * Turns the response into a 304 without content if the caller has it. Koa's `fresh` is not used, because it obeys the
 * `Cache-Control: no-cache` that `fetch` adds by itself.
 */
export function confirmIfKnown(ctx: Context, tag: string): boolean {
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (!isRead || !isNamed(ctx.get('if-none-match'), tag)) return false;
  ctx.status = 304;
  ctx.remove('content-encoding');
  return true;
}
