// The address a request came from, behind as many proxies as the operator says there are.
import type { IncomingMessage } from 'node:http';
import { parseAddress } from '../../lib/egress/parse-address.ts';

// Some proxies add the port, and with it, or without, brackets around an IPv6 address (RFC 7239 §6).
const withPort = /^(?:([\d.]+):\d{1,5}|\[([\da-f:.]+)\](?::\d{1,5})?)$/i;

/**
 * Gives the address of the client. Each trusted proxy adds one entry at the end of
 * `X-Forwarded-For`; what stands before those the client may have written itself, so it is counted
 * from the end. Gives the connection's own address where no proxy is trusted or the entry is none.
 */
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
