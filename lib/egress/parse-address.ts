// Reads IP addresses and CIDR ranges into numbers, so that verdicts never rest on spelling.

/** An address as 32-bit words, most significant first. An IPv4 address has its bits in `w0`. */
export interface ParsedAddress {
  readonly family: 4 | 6;
  readonly w0: number;
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
}

/** A range: the addresses whose masked words equal those of `base`. */
export interface Cidr {
  readonly base: ParsedAddress;
  readonly mask: ParsedAddress;
  readonly prefixBits: number;
}

const DOT = 46;
const COLON = 58;
const ipv6TextLengthMax = 45;

/**
 * Reads one address: strict dotted decimal (no octal, no short forms) or RFC 4291 §2.2 text.
 * Gives null for anything else, a zone id included.
 */
export function parseAddress(text: string): ParsedAddress | null {
  const ipv4 = parseIpv4(text, 0);
  if (ipv4 >= 0) return ipv4Address(ipv4);
  return parseIpv6(text);
}

/** An IPv4 address from its 32 bits, signed or not. */
export function ipv4Address(bits: number): ParsedAddress {
  return { family: 4, w0: bits | 0, w1: 0, w2: 0, w3: 0 };
}

/**
 * Reads `address/prefix` (RFC 4632 §3.1, RFC 4291 §2.3); an address alone is a range of one.
 * Bits beyond the prefix are ignored. Gives null for text that is not a CIDR.
 */
export function parseCidr(text: string): Cidr | null {
  const slash = text.indexOf('/');
  const address = parseAddress(slash === -1 ? text : text.slice(0, slash));
  if (address === null) return null;
  const bitsMax = address.family === 4 ? 32 : 128;
  const prefixBits = slash === -1 ? bitsMax : parsePrefix(text.slice(slash + 1), bitsMax);
  if (prefixBits === null) return null;
  const mask = prefixMask(address.family, prefixBits);
  const base = {
    family: address.family,
    w0: address.w0 & mask.w0,
    w1: address.w1 & mask.w1,
    w2: address.w2 & mask.w2,
    w3: address.w3 & mask.w3,
  };
  return { base, mask, prefixBits };
}

/** True for text that `parseCidr` reads, so that settings can name a bad range at start. */
export function isCidr(text: string): boolean {
  return parseCidr(text) !== null;
}

/** True when the range holds the address. Families never match one another. */
export function inCidr({ base, mask }: Cidr, address: ParsedAddress): boolean {
  return (
    base.family === address.family &&
    (address.w0 & mask.w0) === base.w0 &&
    (address.w1 & mask.w1) === base.w1 &&
    (address.w2 & mask.w2) === base.w2 &&
    (address.w3 & mask.w3) === base.w3
  );
}

function parsePrefix(text: string, bitsMax: number): number | null {
  if (!/^(?:0|[1-9][0-9]{0,2})$/.test(text)) return null;
  const prefix = Number(text);
  return prefix <= bitsMax ? prefix : null;
}

function prefixMask(family: 4 | 6, prefix: number): ParsedAddress {
  return {
    family,
    w0: wordMask(prefix),
    w1: wordMask(prefix - 32),
    w2: wordMask(prefix - 64),
    w3: wordMask(prefix - 96),
  };
}

/** The mask of one word. JavaScript shifts modulo 32, so the two ends are cases of their own. */
function wordMask(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 32 ? -1 : -1 << (32 - bits);
}

/** The 32 bits of the dotted quad that fills `text` from `start`, or -1. */
function parseIpv4(text: string, start: number): number {
  let bits = 0;
  let octet = -1;
  let dots = 0;
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === DOT) {
      if (octet < 0 || dots === 3) return -1;
      bits = bits * 256 + octet;
      octet = -1;
      dots += 1;
      continue;
    }
    const digit = code - 48;
    // A second digit after a zero would be octal to some readers and decimal to others.
    if (digit < 0 || digit > 9 || octet === 0) return -1;
    octet = octet < 0 ? digit : octet * 10 + digit;
    if (octet > 255) return -1;
  }
  return dots === 3 && octet >= 0 ? bits * 256 + octet : -1;
}

function parseIpv6(text: string): ParsedAddress | null {
  if (text.length < 2 || text.length > ipv6TextLengthMax) return null;
  const groups = [0, 0, 0, 0, 0, 0, 0, 0];
  let count = 0;
  let gap = -1;
  let position = 0;
  if (text.charCodeAt(0) === COLON) {
    if (text.charCodeAt(1) !== COLON) return null;
    gap = 0;
    position = 2;
  }
  while (position < text.length) {
    const end = groupEnd(text, position);
    const added = readGroup(text, { position, end, groups, count });
    if (added === 0) return null;
    count += added;
    if (end === text.length) break;
    if (text.charCodeAt(end + 1) === COLON) {
      if (gap >= 0) return null;
      gap = count;
      position = end + 2;
    } else {
      position = end + 1;
      if (position === text.length) return null;
    }
  }
  return assembleIpv6(groups, count, gap);
}

function groupEnd(text: string, position: number): number {
  const colon = text.indexOf(':', position);
  return colon === -1 ? text.length : colon;
}

interface GroupPlace {
  readonly position: number;
  readonly end: number;
  readonly groups: number[];
  readonly count: number;
}

/**
 * Writes the group at `position`, or the dotted quad that ends the text; gives how many, 0 for
 * bad.
 */
function readGroup(text: string, { position, end, groups, count }: GroupPlace): 0 | 1 | 2 {
  if (count >= 8) return 0;
  const hex = end - position <= 4 ? parseHex(text, position, end) : -1;
  if (hex >= 0) {
    groups[count] = hex;
    return 1;
  }
  const ipv4 = end === text.length && count <= 6 ? parseIpv4(text, position) : -1;
  if (ipv4 < 0) return 0;
  groups[count] = ipv4 >>> 16;
  groups[count + 1] = ipv4 & 0xffff;
  return 2;
}

function parseHex(text: string, start: number, end: number): number {
  if (start >= end) return -1;
  let value = 0;
  for (let index = start; index < end; index += 1) {
    const digit = hexDigit(text.charCodeAt(index));
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
}

/** Spreads the groups around the `::` gap; the gap must stand for at least one group. */
function assembleIpv6(groups: number[], count: number, gap: number): ParsedAddress | null {
  if (gap === -1 ? count !== 8 : count > 7) return null;
  if (gap >= 0) {
    const moved = 8 - count;
    for (let index = count - 1; index >= gap; index -= 1) {
      groups[index + moved] = groups[index] ?? 0;
      groups[index] = 0;
    }
  }
  return {
    family: 6,
    w0: wordOf(groups, 0),
    w1: wordOf(groups, 2),
    w2: wordOf(groups, 4),
    w3: wordOf(groups, 6),
  };
}

function wordOf(groups: readonly number[], index: number): number {
  return ((groups[index] ?? 0) << 16) | (groups[index + 1] ?? 0);
}
