// Address ranges that are not public receivers, each with the document that reserves it.

export interface SpecialRange {
  readonly cidr: string;
  readonly why: string;
}

/** The IANA IPv4 Special-Purpose Address Registry, multicast, and cloud wire servers. */
export const refusedIpv4Ranges: readonly SpecialRange[] = [
  { cidr: '0.0.0.0/8', why: 'this network (RFC 791)' },
  { cidr: '10.0.0.0/8', why: 'private use (RFC 1918)' },
  { cidr: '100.64.0.0/10', why: 'shared address space (RFC 6598)' },
  { cidr: '127.0.0.0/8', why: 'loopback (RFC 1122)' },
  { cidr: '169.254.0.0/16', why: 'link local (RFC 3927)' },
  { cidr: '172.16.0.0/12', why: 'private use (RFC 1918)' },
  // Oracle Cloud serves instance metadata on 192.0.0.192.
  { cidr: '192.0.0.0/24', why: 'IETF protocol assignments (RFC 6890)' },
  { cidr: '192.0.2.0/24', why: 'documentation (RFC 5737)' },
  { cidr: '192.31.196.0/24', why: 'AS112 (RFC 7535)' },
  { cidr: '192.52.193.0/24', why: 'automatic multicast tunnelling (RFC 7450)' },
  { cidr: '192.88.99.0/24', why: '6to4 relay anycast, deprecated (RFC 7526)' },
  { cidr: '192.168.0.0/16', why: 'private use (RFC 1918)' },
  { cidr: '192.175.48.0/24', why: 'AS112 direct delegation (RFC 7534)' },
  { cidr: '198.18.0.0/15', why: 'benchmarking (RFC 2544)' },
  { cidr: '198.51.100.0/24', why: 'documentation (RFC 5737)' },
  { cidr: '203.0.113.0/24', why: 'documentation (RFC 5737)' },
  { cidr: '224.0.0.0/4', why: 'multicast (RFC 5771)' },
  { cidr: '240.0.0.0/4', why: 'reserved (RFC 1112)' },
  // A public address, so in no registry; inside Azure it is the host's own agent.
  { cidr: '168.63.129.16/32', why: 'Azure wire server (Azure documentation)' },
];

/** The only IPv6 range that can be public (IANA IPv6 address space). */
export const ipv6GlobalUnicast: SpecialRange = {
  cidr: '2000::/3',
  why: 'outside global unicast 2000::/3 (RFC 4291)',
};

/** Inside 2000::/3: the IANA IPv6 Special-Purpose Address Registry. */
export const refusedIpv6Ranges: readonly SpecialRange[] = [
  // Holds Teredo 2001::/32, benchmarking 2001:2::/48, ORCHID 2001:10::/28 and 2001:20::/28.
  { cidr: '2001::/23', why: 'IETF protocol assignments (RFC 2928)' },
  { cidr: '2001:db8::/32', why: 'documentation (RFC 3849)' },
  { cidr: '2002::/16', why: '6to4 (RFC 3056)' },
  { cidr: '2620:4f:8000::/48', why: 'AS112 direct delegation (RFC 7534)' },
  { cidr: '3fff::/20', why: 'documentation (RFC 9637)' },
];

export interface EmbeddingRange {
  readonly cidr: string;
  /** The position of the IPv4 address; `inverted` is in the last word with its bits flipped. */
  readonly position: 'last' | 'inverted' | 'after-16-bits' | 'after-prefix';
}

export const nat64WellKnownPrefix = '64:ff9b::/96'; // RFC 6052 §2.1

/** Refused, except for NAT64 and ranges an operator allows: for those, the IPv4 address decides. */
export const embeddingRanges: readonly EmbeddingRange[] = [
  { cidr: nat64WellKnownPrefix, position: 'last' },
  { cidr: '64:ff9b:1::/48', position: 'after-prefix' }, // local NAT64 (RFC 8215)
  { cidr: '::/96', position: 'last' }, // IPv4-compatible (RFC 4291 §2.5.5.1)
  { cidr: '::ffff:0:0/96', position: 'last' }, // IPv4-mapped (RFC 4291 §2.5.5.2)
  { cidr: '::ffff:0:0:0/96', position: 'last' }, // SIIT (RFC 2765 §2.1)
  { cidr: '2001::/32', position: 'inverted' }, // Teredo (RFC 4380 §4)
  { cidr: '2002::/16', position: 'after-16-bits' }, // 6to4 (RFC 3056 §2)
];
