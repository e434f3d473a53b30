// What Node lets through in the head of a request although HTTP forbids it (RFC 9112 §3.2).
import type { IncomingMessage } from 'node:http';
import { parseUrl } from '../../lib/net/parse-url.ts';
import { headerValues } from './raw-headers.ts';

/**
 * Gives the path and query that a request asks for, out of a whole address too. Throws nothing:
 * null means that the target is none, or that the host is missing or sent twice.
 */
export function readTarget(request: IncomingMessage): string | null {
  const hosts = headerValues(request.rawHeaders, 'host').length;
  if (hosts > 1 || (hosts === 0 && request.httpVersion !== '1.0')) return null;
  const target = request.url ?? '';
  if (target.startsWith('/') || target === '*') return target;
  const url = /^https?:\/\//i.test(target) ? parseUrl(target) : null;
  return url === null ? null : url.pathname + url.search;
}
