import { parseAddress } from './parse-address.ts';

/** Returns a key that all addresses of one customer share: the IPv4 address, or the /64 of an IPv6 address. */
export function networkOf(address: string | null): string {
  const parsed = parseAddress(address ?? '');
  if (parsed === null) return address ?? '';
  if (parsed.family === 4) return `4|${parsed.w0}`;
  const isMapped = parsed.w0 === 0 && parsed.w1 === 0 && parsed.w2 === 0xffff;
  return isMapped ? `4|${parsed.w3}` : `6|${parsed.w0}|${parsed.w1}`;
}

/** Returns a key of all networks that one stranger may easily have: the IPv4 address, or the /48 of an IPv6 address. */
export function siteOf(address: string | null): string {
  const [family, w0, w1] = networkOf(address).split('|');
  return family === '6' ? `6|${w0}|${Number(w1) >>> 16}` : networkOf(address);
}
