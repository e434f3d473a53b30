// IP addresses and CIDR ranges as numbers, so that verdicts never depend on spelling.
import { isIP } from 'node:net';

/** Signed 32-bit words, most significant first. An IPv4 address has its bits in `w0`. */
export interface ParsedAddress {
  readonly family: 4 | 6;
  readonly w0: number;
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
}

export interface Cidr {
  readonly base: ParsedAddress;
  readonly mask: ParsedAddress;
  readonly prefixBits: number;
}

// Excludes zone IDs, and NUL, at which a native parser would stop.
const addressCharacters = /^[0-9a-f.:]+$/i;

/** Returns null for anything but strict dotted decimal (no octal, no short forms) and RFC 4291 §2.2. */
export function parseAddress(text: string): ParsedAddress | null {
  const family = addressCharacters.test(text) ? isIP(text) : 0;
  if (family === 4) return ipv4Address(quadBits(text));
  return family === 6 ? readIpv6(text) : null;
}

export function ipv4Address(bits: number): ParsedAddress {
  return { family: 4, w0: bits | 0, w1: 0, w2: 0, w3: 0 };
}

/** Parses `address/prefix` (RFC 4632 §3.1, RFC 4291 §2.3); an address alone is a range of one. */
export function parseCidr(text: string): Cidr | null {
  const slash = text.indexOf('/');
  const address = parseAddress(slash === -1 ? text : text.slice(0, slash));
  if (address === null) return null;
  const bitsMax = address.family === 4 ? 32 : 128;
  const prefixBits = slash === -1 ? bitsMax : parsePrefix(text.slice(slash + 1), bitsMax);
  if (prefixBits === null) return null;
  const { family } = address;
  const mask = {
    family,
    w0: wordMask(prefixBits),
    w1: wordMask(prefixBits - 32),
    w2: wordMask(prefixBits - 64),
    w3: wordMask(prefixBits - 96),
  };
  const base = {
    family,
    w0: address.w0 & mask.w0,
    w1: address.w1 & mask.w1,
    w2: address.w2 & mask.w2,
    w3: address.w3 & mask.w3,
  };
  return { base, mask, prefixBits };
}

export function isCidr(text: string): boolean {
  return parseCidr(text) !== null;
}

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

// JavaScript shifts modulo 32, so both ends are special cases.
function wordMask(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 32 ? -1 : -1 << (32 - bits);
}

function quadBits(text: string): number {
  return text.split('.').reduce((bits, octet) => bits * 256 + Number(octet), 0);
}

function readIpv6(text: string): ParsedAddress {
  const [head = [], tail = []] = text.split('::').map(readGroups);
  const gap = Array<number>(8 - head.length - tail.length).fill(0);
  const groups = [...head, ...gap, ...tail];
  const word = (index: number): number => ((groups[index] ?? 0) << 16) | (groups[index + 1] ?? 0);
  return { family: 6, w0: word(0), w1: word(2), w2: word(4), w3: word(6) };
}

function readGroups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return Number.parseInt(group, 16);
    const bits = quadBits(group);
    return [bits >>> 16, bits & 0xffff];
  });
}
