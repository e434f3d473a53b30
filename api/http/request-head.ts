import type { IncomingMessage } from 'node:http';
import { parseUrl } from '../../lib/egress/parse-url.ts';
import { headerValues } from './raw-headers.ts';

// The port can be empty (RFC 3986 §3.2.3). Nothing may change a URL made from it (RFC 9110 §4.2.4).
const hostShape = /^([\w.-]*|\[[\da-f:.]+\])(:\d{0,5})?$/i;

/** Returns the path and query, or the fault of a head that Node accepts in violation of RFC 9112. */
export function readHead(request: IncomingMessage): { target: string } | { fault: string } {
  const { rawHeaders, httpVersion } = request;
  const [host, ...moreHosts] = headerValues(rawHeaders, 'host');
  if (moreHosts.length > 0 || (host === undefined && httpVersion !== '1.0')) {
    return { fault: 'the request must have exactly one Host header' };
  }
  if (host !== undefined && !hostShape.test(host)) return { fault: 'the Host header is not valid' };
  const coding = headerValues(rawHeaders, 'transfer-encoding').join(',').trim().toLowerCase();
  // A proxy could disagree on where the body ends: request smuggling (RFC 9112 §6.1).
  if (coding !== '' && (coding !== 'chunked' || httpVersion === '1.0')) {
    return { fault: 'the only supported transfer coding is chunked, in HTTP/1.1' };
  }
  const target = readTarget(request.url ?? '');
  return target === null ? { fault: 'the request target must have a path' } : { target };
}

function readTarget(target: string): string | null {
  if (target.startsWith('/') || target === '*') return target;
  const url = /^https?:\/\//i.test(target) ? parseUrl(target) : null;
  return url === null ? null : url.pathname + url.search;
}
