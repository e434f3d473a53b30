// Decides whether an IP address may be connected to. This is the only protection against requests to internal hosts.
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

/** The reason is for operators and logs, not for tenants. */
type AddressVerdict =
  { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

export interface AddressGuard {
  verdict(address: string): AddressVerdict;
}

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
const embeddings = embeddingRanges.map(({ cidr, position }) => ({
  cidr: readCidr(cidr),
  position,
}));
const loopbackIpv6 = readCidr('::1');

/** `readOwn` returns this host's addresses. Throws a TypeError for a range that is not a CIDR. */
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
    // An IPv6 form must not bypass the decision about its IPv4 address, even in a wide allowed range. NAT64 is not
    // refused outright: behind DNS64 it reaches every IPv4 receiver.
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

/** Returns the cached guard of a policy object. Throws like `createAddressGuard`. */
export function addressGuardOf(policy: EgressPolicy): AddressGuard {
  const guard = guardsByPolicy.get(policy) ?? createAddressGuard(policy);
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

function readRange({ cidr, why }: SpecialRange) {
  return { cidr: readCidr(cidr), verdict: refused(why) };
}

function holds(ranges: readonly Cidr[], address: ParsedAddress): boolean {
  return ranges.some((range) => inCidr(range, address));
}

function embeddedIpv4s(address: ParsedAddress, allow: readonly Cidr[]): readonly ParsedAddress[] {
  // Inside ::/96, ::1 is not the IPv4 address 0.0.0.1 but loopback (RFC 4291 §2.5.3).
  if (address.family === 4 || inCidr(loopbackIpv6, address)) return [];
  const embedding = embeddings.find(({ cidr }) => inCidr(cidr, address));
  if (embedding === undefined) return [];
  if (embedding.position === 'after-prefix') return localNat64Ipv4s(address, allow);
  return [ipv4Address(embeddedBits(address, embedding.position))];
}

function embeddedBits(
  { w0, w1, w3 }: ParsedAddress,
  position: Exclude<EmbeddingRange['position'], 'after-prefix'>,
): number {
  if (position === 'last') return w3;
  return position === 'inverted' ? ~w3 : (w0 << 16) | (w1 >>> 16);
}

function builtInRefusal(address: ParsedAddress): AddressVerdict | null {
  if (address.family === 6 && !inCidr(globalUnicast, address)) return notGlobalUnicast;
  const ranges = address.family === 4 ? refusedIpv4 : refusedIpv6;
  return ranges.find(({ cidr }) => inCidr(cidr, address))?.verdict ?? null;
}

// A request to a public address of this host would bypass a firewall that trusts local traffic.
function createOwnAddressTest(readOwn: () => readonly string[]) {
  let own: readonly Cidr[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return (address: ParsedAddress): boolean => {
    const now = performance.now();
    if (now - readAt > ownAddressesAgeMsMax) {
      own = readOwn()
        .flatMap((text) => parseCidr(text) ?? [])
        .filter(({ base }) => builtInRefusal(base) === null);
      readAt = now;
    }
    return holds(own, address);
  };
}

function readInterfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flat()
    .flatMap((found) => found?.address ?? []);
}
