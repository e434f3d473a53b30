import type { IncomingMessage } from 'node:http';
import { parseAddress } from '../../lib/egress/parse-address.ts';

// Some proxies add the port, with or without brackets around an IPv6 address (RFC 7239 §6).
const withPort = /^(?:([\d.]+):\d{1,5}|\[([\da-f:.]+)\](?::\d{1,5})?)$/i;

/** Counted from the end of `X-Forwarded-For`, because clients can forge the entries before those of trusted proxies. */
export function clientAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  trustedProxyHops: number,
): string | null {
  const direct = socket.remoteAddress ?? null;
  if (trustedProxyHops === 0) return direct;
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const entry = forwarded.at(-trustedProxyHops)?.trim() ?? '';
  const [, ipv4, ipv6] = withPort.exec(entry) ?? [];
  const address = ipv4 ?? ipv6 ?? entry;
  return parseAddress(address) === null ? direct : address;
}
