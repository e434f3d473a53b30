// Whose address it is, for counting: an IPv4 address, or the /64 that an IPv6 customer has to itself.
import { parseAddress } from './parse-address.ts';

/** Gives a text that is the same for all addresses of one customer; an unreadable address is its own. */
export function networkOf(address: string | null): string {
  const parsed = parseAddress(address ?? '');
  if (parsed === null) return address ?? '';
  if (parsed.family === 4) return `4|${parsed.w0}`;
  const isMapped = parsed.w0 === 0 && parsed.w1 === 0 && parsed.w2 === 0xffff;
  return isMapped ? `4|${parsed.w3}` : `6|${parsed.w0}|${parsed.w1}`;
}
