// The address a request came from, behind as many proxies as the operator says there are.
import type { IncomingMessage } from 'node:http';
import { parseAddress } from '../../lib/net/parse-address.ts';

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
  return parseAddress(entry) === null ? direct : entry;
}
