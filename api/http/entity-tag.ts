// Conditional requests (RFC 9110 §13). Only GETs of what caches may keep have an entity tag, and nothing has a
// Last-Modified, so `If-None-Match` is the only condition.
import { createHash } from 'node:crypto';
import type { Context } from 'koa';

/** Returns the strong entity tag of a content. */
export function entityTagOf(content: Buffer | string): string {
  return `"${createHash('sha256').update(content).digest('base64url')}"`;
}

const entityTag = /(?:W\/)?("[!#-~\u0080-\u00ff]*")/g;

/** Checks whether an `If-None-Match` names the tag, by weak comparison (RFC 9110 §8.8.3.2, §13.1.2). */
export function isNamed(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return [...ifNoneMatch.matchAll(entityTag)].some(([, opaque]) => opaque === tag);
}

/**
 * Makes the response a 304 without content where the caller has it. Not by Koa's `fresh`, which takes the
 * `Cache-Control: no-cache` that `fetch` adds by itself for "always send".
 */
export function confirmIfKnown(ctx: Context, tag: string): boolean {
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (!isRead || !isNamed(ctx.get('if-none-match'), tag)) return false;
  ctx.status = 304;
  ctx.remove('content-encoding');
  return true;
}
