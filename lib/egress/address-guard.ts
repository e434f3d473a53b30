// Decides whether an IP address may be connected to: the one control against requests to ourselves.
import { networkInterfaces } from 'node:os';
import {
  type EmbeddingRange,
  embeddingRanges,
  ipv6GlobalUnicast,
  nat64WellKnownPrefix,
  refusedIpv4Ranges,
  refusedIpv6Ranges,
  type SpecialRange,
} from './address-ranges.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { localNat64Ipv4s } from './local-nat64.ts';
import {
  type Cidr,
  inCidr,
  ipv4Address,
  parseAddress,
  parseCidr,
  type ParsedAddress,
} from './parse-address.ts';

/** What the guard says of an address. The reason is for operators and logs. */
export type AddressVerdict =
  { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

export interface AddressGuard {
  verdict(address: string): AddressVerdict;
}

interface RefusedRange {
  readonly cidr: Cidr;
  readonly verdict: AddressVerdict;
}

/** Interfaces come and go (VPNs, containers), so they are read again, but not for every address. */
const ownAddressesAgeMsMax = 5_000;

const allowed: AddressVerdict = { allowed: true };
const unreadable = refused('not an IP address');
const zoned = refused('addresses with a zone id are not public (RFC 4007)');
const deniedByOperator = refused('in a range the operator denies');
const ownAddress = refused('an address of this host');
const notGlobalUnicast = refused(ipv6GlobalUnicast.why);

const refusedIpv4 = refusedIpv4Ranges.map(readRange);
const refusedIpv6 = refusedIpv6Ranges.map(readRange);
const globalUnicast = readCidr(ipv6GlobalUnicast.cidr);
const nat64 = readCidr(nat64WellKnownPrefix);
const embeddings = embeddingRanges.map(({ cidr, place }) => ({ cidr: readCidr(cidr), place }));
const loopbackIpv6 = readAddress('::1');

/**
 * Makes the guard for a policy. Unreadable text, zone ids and this host's own addresses are
 * refused. `readOwn` gives the host's addresses and is for tests. Throws a TypeError when the
 * policy holds a range that is not a CIDR.
 */
export function createAddressGuard(
  policy: Pick<EgressPolicy, 'allowCidrs' | 'denyCidrs'>,
  readOwn: () => readonly string[] = readInterfaceAddresses,
): AddressGuard {
  const allow = policy.allowCidrs.map(readCidr);
  const deny = policy.denyCidrs.map(readCidr);
  const isOwn = createOwnAddressTest(readOwn);

  function judge(address: ParsedAddress): AddressVerdict {
    if (holds(deny, address)) return deniedByOperator;
    const embedded = embeddedIpv4s(address, allow);
    const isAllowed = holds(allow, address);
    // What leads to an IPv4 address must not be better off than that address: neither past a range
    // that is denied, nor by an allowed range so wide that it holds the other spelling by chance.
    // Refusing NAT64 outright, though, would stop all deliveries to IPv4 receivers behind DNS64.
    if (embedded.length > 0 && (isAllowed || inCidr(nat64, address))) {
      return embedded.map(judge).find((verdict) => !verdict.allowed) ?? allowed;
    }
    if (isAllowed) return allowed;
    const builtIn = builtInRefusal(address);
    if (builtIn !== null) return builtIn;
    return isOwn(address) ? ownAddress : allowed;
  }

  return {
    verdict(text) {
      const address = parseAddress(text);
      if (address === null) return text.includes('%') ? zoned : unreadable;
      return judge(address);
    },
  };
}

const guardsByPolicy = new WeakMap<EgressPolicy, AddressGuard>();

/** The guard of a policy object, made once. Throws a TypeError as `createAddressGuard` does. */
export function addressGuardOf(policy: EgressPolicy): AddressGuard {
  const known = guardsByPolicy.get(policy);
  if (known !== undefined) return known;
  const guard = createAddressGuard(policy);
  guardsByPolicy.set(policy, guard);
  return guard;
}

function refused(reason: string): AddressVerdict {
  return { allowed: false, reason };
}

function readCidr(text: string): Cidr {
  const cidr = parseCidr(text);
  if (cidr === null) throw new TypeError(`address range must be a CIDR (got "${text}")`);
  return cidr;
}

function readAddress(text: string): ParsedAddress {
  return readCidr(text).base;
}

function readRange({ cidr, why }: SpecialRange): RefusedRange {
  return { cidr: readCidr(cidr), verdict: refused(why) };
}

function holds(ranges: readonly Cidr[], address: ParsedAddress): boolean {
  for (const range of ranges) if (inCidr(range, address)) return true;
  return false;
}

/** The IPv4 addresses that an IPv6 address may lead to: none, one, or one for each place. */
function embeddedIpv4s(address: ParsedAddress, allow: readonly Cidr[]): readonly ParsedAddress[] {
  // Inside ::/96, ::1 is not the IPv4 address 0.0.0.1 but loopback (RFC 4291 §2.5.3).
  if (address.family === 4 || sameAddress(address, loopbackIpv6)) return [];
  const embedding = embeddings.find(({ cidr }) => inCidr(cidr, address));
  if (embedding === undefined) return [];
  if (embedding.place === 'after-prefix') return localNat64Ipv4s(address, allow);
  return [ipv4Address(embeddedBits(address, embedding.place))];
}

function embeddedBits(
  { w0, w1, w3 }: ParsedAddress,
  place: Exclude<EmbeddingRange['place'], 'after-prefix'>,
): number {
  if (place === 'last') return w3;
  return place === 'inverted' ? ~w3 : (w0 << 16) | (w1 >>> 16);
}

function builtInRefusal(address: ParsedAddress): AddressVerdict | null {
  if (address.family === 6 && !inCidr(globalUnicast, address)) return notGlobalUnicast;
  const ranges = address.family === 4 ? refusedIpv4 : refusedIpv6;
  for (const { cidr, verdict } of ranges) if (inCidr(cidr, address)) return verdict;
  return null;
}

/**
 * A public address of this very host leads back to it, past any firewall that trusts local traffic,
 * and no table can know it. Private ones are refused by the table already and are left out.
 */
function createOwnAddressTest(
  readOwn: () => readonly string[],
): (address: ParsedAddress) => boolean {
  let own: readonly ParsedAddress[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return (address) => {
    const now = performance.now();
    if (now - readAt > ownAddressesAgeMsMax) {
      own = readOwn().map(parseAddress).filter(isPublic);
      readAt = now;
    }
    return own.some((mine) => sameAddress(mine, address));
  };
}

function isPublic(address: ParsedAddress | null): address is ParsedAddress {
  return address !== null && builtInRefusal(address) === null;
}

function sameAddress(one: ParsedAddress, other: ParsedAddress): boolean {
  return (
    one.family === other.family &&
    one.w0 === other.w0 &&
    one.w1 === other.w1 &&
    one.w2 === other.w2 &&
    one.w3 === other.w3
  );
}

function readInterfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flat()
    .flatMap((address) => (address === undefined ? [] : [address.address]));
}
