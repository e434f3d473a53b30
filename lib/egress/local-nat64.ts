import { type Cidr, inCidr, ipv4Address, type ParsedAddress } from './parse-address.ts';

/** A layout of RFC 6052 §2.2. */
interface Layout {
  readonly prefixBits: number;
  readonly ipv4Bits: (address: ParsedAddress) => number;
  /** Bits 64 to 71, which must be zero, and those after the IPv4 address, which should be. */
  readonly otherBits: (address: ParsedAddress) => number;
}

// Longest prefix first.
const layouts: readonly Layout[] = [
  { prefixBits: 96, ipv4Bits: ({ w3 }) => w3, otherBits: () => 0 },
  {
    prefixBits: 64,
    ipv4Bits: ({ w2, w3 }) => (w2 << 8) | (w3 >>> 24),
    otherBits: ({ w2, w3 }) => (w2 >>> 24) | (w3 & 0xffffff),
  },
  {
    prefixBits: 56,
    ipv4Bits: ({ w1, w2 }) => (w1 << 24) | (w2 & 0xffffff),
    otherBits: ({ w2, w3 }) => (w2 >>> 24) | w3,
  },
  {
    prefixBits: 48,
    ipv4Bits: ({ w1, w2 }) => (w1 << 16) | ((w2 >>> 8) & 0xffff),
    otherBits: ({ w2, w3 }) => (w2 >>> 24) | (w2 & 0xff) | w3,
  },
];

/**
 * Returns the IPv4 addresses, at least one, that an address of 64:ff9b:1::/48 (RFC 8215) may lead to: one if an allowed
 * range is its prefix, otherwise one per layout.
 */
export function localNat64Ipv4s(
  address: ParsedAddress,
  allow: readonly Cidr[],
): readonly ParsedAddress[] {
  const ranges = allow.filter((range) => inCidr(range, address));
  const layout = layouts.find(
    ({ prefixBits, otherBits }) =>
      otherBits(address) === 0 && ranges.some((range) => range.prefixBits === prefixBits),
  );
  if (layout !== undefined) return [ipv4Address(layout.ipv4Bits(address))];
  // An unused layout usually reads as 0.0.0.0/8, which leads nowhere.
  const bits = layouts.map(({ ipv4Bits }) => ipv4Bits(address)).filter((read) => read >>> 24 !== 0);
  return (bits.length > 0 ? bits : [0]).map(ipv4Address);
}
