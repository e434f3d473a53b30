// What Node lets through in the head of a request although HTTP forbids it (RFC 9112).
import type { IncomingMessage } from 'node:http';
import { parseUrl } from '../../lib/egress/parse-url.ts';
import { headerValues } from './raw-headers.ts';

/** The path and query that a request asks for, or what is wrong with its head. */
export type RequestHead = { target: string } | { fault: string };

// A name or address and a port, which may be empty (RFC 3986 §3.2.3), and nothing that would change a
// URL made of it (RFC 9110 §4.2.4).
const hostShape = /^([\w.-]*|\[[\da-f:.]+\])(:\d{0,5})?$/i;

/** Reads the head of a request. The target may be a whole address, of which the path counts. */
export function readHead(request: IncomingMessage): RequestHead {
  const { rawHeaders, httpVersion } = request;
  const [host, ...moreHosts] = headerValues(rawHeaders, 'host');
  if (moreHosts.length > 0 || (host === undefined && httpVersion !== '1.0')) {
    return { fault: 'the request needs one host' };
  }
  if (host !== undefined && !hostShape.test(host)) return { fault: 'the host is none' };
  const coding = headerValues(rawHeaders, 'transfer-encoding').join(',').trim().toLowerCase();
  // Where a proxy and this server could disagree on where a body ends (RFC 9112 §6.1).
  if (coding !== '' && (coding !== 'chunked' || httpVersion === '1.0')) {
    return { fault: 'the only transfer coding is chunked, of HTTP/1.1' };
  }
  const target = readTarget(request.url ?? '');
  return target === null ? { fault: 'the request needs a path' } : { target };
}

function readTarget(target: string): string | null {
  if (target.startsWith('/') || target === '*') return target;
  const url = /^https?:\/\//i.test(target) ? parseUrl(target) : null;
  return url === null ? null : url.pathname + url.search;
}
