// Public and refused addresses: both ends of every range and their neighbours, and every spelling.
import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import * as fc from 'fast-check';
import { type AddressGuard, createAddressGuard } from '../../../lib/egress/address-guard.ts';
import { refusedIpv4Ranges } from '../../../lib/egress/address-ranges.ts';
import { isCidr, parseAddress } from '../../../lib/egress/parse-address.ts';

const publicOnly = createAddressGuard({ allowCidrs: [], denyCidrs: [] }, () => []);

function allows(address: string, guard: AddressGuard = publicOnly): boolean {
  return guard.verdict(address).allowed;
}

// first and last address refused, and the neighbours outside, null where that is refused as well
const ipv4Edges: readonly (readonly [string, string, string | null, string | null])[] = [
  ['0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
  ['192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '239.255.255.255', '223.255.255.255', null],
  ['240.0.0.0', '255.255.255.255', null, null],
];

const ipv6Edges: readonly (readonly [string, string, string | null, string | null])[] = [
  ['::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, '2000::'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::', '2001:200::'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
  ['2620:4f:8000::', '2620:4f:8000:ffff::ffff', '2620:4f:7fff:ffff::', '2620:4f:8001::'],
  ['3fff::', '3fff:fff:ffff:ffff::', '3ffe:ffff::', '3fff:1000::'],
  ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:ffff::', null],
];

test.each([...ipv4Edges, ...ipv6Edges])(
  'the range %s to %s is refused and its neighbours are not',
  (...edges) => {
    const [first, last, before, after] = edges;
    expect(allows(first)).toBe(false);
    expect(allows(last)).toBe(false);
    if (before !== null) expect(allows(before)).toBe(true);
    if (after !== null) expect(allows(after)).toBe(true);
  },
);

test('every IPv4 range of the table has its edges tested', () => {
  expect(ipv4Edges).toHaveLength(refusedIpv4Ranges.length);
});

const refusedSpellings = [
  '::1',
  '::127.0.0.1', // IPv4-compatible
  '::7f00:1',
  '::ffff:127.0.0.1', // IPv4-mapped
  '::ffff:8.8.8.8',
  '::ffff:0:127.0.0.1', // SIIT
  '::5efe:7f00:1', // ISATAP
  '64:ff9b::127.0.0.1', // NAT64
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1.1.1.1', // local NAT64, RFC 8215
  '2001:0:7f00:1::', // Teredo
  '2002:7f00:1::', // 6to4
  '100::1',
  '100:0:0:1::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
];

test.each(refusedSpellings)('%s is refused', (address) => {
  expect(allows(address)).toBe(false);
});

test('NAT64 addresses get the verdict of the IPv4 address inside', () => {
  expect(allows('64:ff9b::8.8.8.8')).toBe(true);
  expect(allows('64:ff9b::808:808')).toBe(true);
  expect(allows('64:ff9b::10.0.0.1')).toBe(false);
});

test('an allowed range permits private addresses, and a denied range wins over it', () => {
  const guard = createAddressGuard(
    { allowCidrs: ['127.0.0.0/8', '::1/128', '10.1.0.0/16'], denyCidrs: ['10.1.2.0/24'] },
    () => [],
  );
  expect(allows('127.0.0.1', guard)).toBe(true);
  expect(allows('::1', guard)).toBe(true);
  expect(allows('::2', guard)).toBe(false);
  expect(allows('::ffff:127.0.0.1', guard)).toBe(false);
  expect(allows('10.1.1.255', guard)).toBe(true);
  expect(allows('10.1.2.0', guard)).toBe(false);
  expect(allows('10.2.0.0', guard)).toBe(false);
  expect(allows('64:ff9b::10.1.1.1', guard)).toBe(true);
  expect(allows('64:ff9b::10.1.2.1', guard)).toBe(false);
});

test('a denied range refuses public addresses, in their IPv6 spellings too', () => {
  const guard = createAddressGuard(
    { allowCidrs: ['8.8.8.8', '64:ff9b::/96'], denyCidrs: ['8.8.0.0/16', '2606:4700::/32'] },
    () => [],
  );
  expect(allows('8.8.8.8', guard)).toBe(false);
  expect(allows('8.9.0.0', guard)).toBe(true);
  expect(allows('64:ff9b::8.8.8.8', guard)).toBe(false);
  expect(allows('2606:4700::1111', guard)).toBe(false);
});

test('an allowed IPv6 range permits no IPv4 address that is refused by itself', () => {
  const guard = createAddressGuard({ allowCidrs: ['::/0'], denyCidrs: ['8.8.4.0/24'] }, () => []);
  for (const spelling of [
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b:1::127.0.0.1',
    '2002:7f00:1::',
    '2001:0:808:808::80ff:fffe', // Teredo, the client's address inverted
    '::ffff:8.8.4.4',
    '2002:808:404::1',
    '::',
  ])
    expect([spelling, allows(spelling, guard)]).toEqual([spelling, false]);
  for (const spelling of [
    '::8.8.8.8',
    '::ffff:8.8.8.8',
    '::ffff:0:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::8.8.8.8',
    '2002:808:808::',
    '2001:0:7f00:1::f7f7:f7f7',
    '::1',
    'fd00::1',
  ])
    expect([spelling, allows(spelling, guard)]).toEqual([spelling, true]);
});

test("the host's own public addresses are refused unless the operator allows them", () => {
  const own = (): string[] => ['127.0.0.1', '8.8.4.4', '2600::5', 'fe80::1'];
  const guard = createAddressGuard({ allowCidrs: [], denyCidrs: [] }, own);
  expect(guard.verdict('8.8.4.4')).toEqual({ allowed: false, reason: 'an address of this host' });
  expect(allows('2600:0::0:5', guard)).toBe(false);
  expect(allows('64:ff9b::8.8.4.4', guard)).toBe(false);
  expect(allows('8.8.4.5', guard)).toBe(true);
  expect(
    allows('8.8.4.4', createAddressGuard({ allowCidrs: ['8.8.4.4/32'], denyCidrs: [] }, own)),
  ).toBe(true);
});

test("every address of this machine's interfaces is refused", () => {
  const guard = createAddressGuard({ allowCidrs: [], denyCidrs: [] });
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  for (const { address } of own) expect(allows(address, guard)).toBe(false);
});

test('a CIDR is an address, alone or with a prefix that its family allows', () => {
  const good = [
    '10.0.0.0/8',
    '0.0.0.0/0',
    '1.2.3.4/32',
    '1.2.3.4',
    '127.0.0.1/8',
    '::/0',
    '::1/128',
  ];
  expect(good.filter((text) => !isCidr(text))).toEqual([]);
  const bad = ['', '/', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/08', '10.0.0.0/-1', '::/129', 'x/8'];
  const worse = ['10.0.0/8', '1.2.3.4/8/8', '10.0.0.0/ 8'];
  expect([...bad, ...worse].filter(isCidr)).toEqual([]);
});

test('a guard with a range that is not a CIDR cannot be created', () => {
  expect(() => createAddressGuard({ allowCidrs: [], denyCidrs: ['10.0.0.0/99'] })).toThrow(
    'address range must be a CIDR (got "10.0.0.0/99")',
  );
});

test('for random IPv4 addresses the verdict equals that of net.BlockList with the same table', () => {
  const list = new BlockList();
  for (const { cidr } of refusedIpv4Ranges) {
    const [base = '', prefix] = cidr.split('/');
    list.addSubnet(base, Number(prefix));
  }
  const nearEdges = fc
    .tuple(fc.constantFrom(...ipv4Edges.flatMap(([first, last]) => [first, last])), fc.nat(3))
    .map(([edge, step]) => dotted((parseAddress(edge)?.w0 ?? 0) + step - 1));
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), nearEdges), (address) => {
      return allows(address) === !list.check(address);
    }),
    { numRuns: 5_000 },
  );
});

test('a text is an address exactly if it is one for Node and has no zone, and any other is refused', () => {
  const almost = fc
    .array(fc.constantFrom('::', ':', '.', '0', '1', 'ff', 'ffff', '256', '1.2.3.4', '%', '0a'), {
      maxLength: 12,
    })
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), almost, fc.string()), (text) => {
      const isAddress = isIP(text) !== 0 && !text.includes('%');
      return (parseAddress(text) !== null) === isAddress && (isAddress || !allows(text));
    }),
    { numRuns: 10_000 },
  );
});

test('two spellings of one IPv6 address are parsed to the same value', () => {
  fc.assert(
    fc.property(fc.ipV6(), (text) => {
      const canonical = new URL(`http://[${text}]/`).hostname.slice(1, -1);
      expect(parseAddress(canonical)).toEqual(parseAddress(text));
    }),
    { numRuns: 2_000 },
  );
});

function dotted(bits: number): string {
  return [bits >>> 24, (bits >>> 16) & 255, (bits >>> 8) & 255, bits & 255].join('.');
}

test('in a range that is no NAT64 prefix every position of the IPv4 address is checked', () => {
  const guard = createAddressGuard(
    { allowCidrs: ['::/0', '0.0.0.0/0'], denyCidrs: ['169.254.169.254'] },
    () => [],
  );
  for (const spelling of [
    '64:ff9b:1:a9fe:a9:fe00::', // /48
    '64:ff9b:1:a9:fe:a9fe::', // /56
    '64:ff9b:1:0:a9:fea9:fe00::', // /64
    '64:ff9b:1::169.254.169.254', // /96
    '64:ff9b:1:a9fe:ffa9:fe00::', // the skipped byte is not zero
    '64:ff9b:1:a9fe:a9:fe00:808:808', // nor are the following bytes
  ])
    expect([spelling, allows(spelling, guard)]).toEqual([spelling, false]);
  for (const spelling of ['64:ff9b:1:aa:fe:a9fe::', '64:ff9b:1:abcd::8.8.8.8'])
    expect([spelling, allows(spelling, guard)]).toEqual([spelling, true]);
  // Without an allowed range, nothing is permitted.
  expect(allows('64:ff9b:1:808:8:800::')).toBe(false);
});

// prefix, a public address under it, and refused ones: private, loopback, denied
const localNat64Prefixes: readonly (readonly [string, string, readonly string[]])[] = [
  // Read as addresses after a /48, the bits of these three would be reserved, private and loopback.
  [
    '64:ff9b:1:fffe::/96',
    '64:ff9b:1:fffe::93.184.216.34',
    ['64:ff9b:1:fffe::10.0.0.1', '64:ff9b:1:fffe::0.0.0.0', '64:ff9b:1:fffe::8.8.4.4'],
  ],
  ['64:ff9b:1:a00::/96', '64:ff9b:1:a00::93.184.216.34', ['64:ff9b:1:a00::127.0.0.1']],
  ['64:ff9b:1:7f00::/96', '64:ff9b:1:7f00::93.184.216.34', ['64:ff9b:1:7f00::10.0.0.1']],
  // 93.184.216.10, whose last octet would be that of 10.0.0.0 in the last word
  [
    '64:ff9b:1:fffe::/64',
    '64:ff9b:1:fffe:5d:b8d8:a00:0',
    ['64:ff9b:1:fffe:a:0:100:0', '64:ff9b:1:fffe:8:804:400:0', '64:ff9b:1:fffe::'],
  ],
  [
    '64:ff9b:1:7f00::/56',
    '64:ff9b:1:7f5d:b8:d822::',
    ['64:ff9b:1:7f0a:0:1::', '64:ff9b:1:7f08:8:404::'],
  ],
  [
    '64:ff9b:1::/48',
    '64:ff9b:1:5db8:d8:2200::',
    ['64:ff9b:1:a00:0:100::', '64:ff9b:1:808:4:400::'],
  ],
];

test.each(localNat64Prefixes)(
  'with the local NAT64 prefix %s only its own position of the IPv4 address is checked',
  (prefix, good, bad) => {
    const policy = { allowCidrs: ['::/0', prefix], denyCidrs: ['8.8.4.0/24'] };
    const guard = createAddressGuard(policy, () => []);
    expect(allows(good, guard)).toBe(true);
    for (const address of bad) expect([address, allows(address, guard)]).toEqual([address, false]);
  },
);

test('an address that cannot have the allowed local NAT64 prefix is checked at every position', () => {
  // The whole block, while the gateway has a longer prefix: read after the /48 these are public.
  for (const [range, address] of [
    ['64:ff9b:1::/48', '64:ff9b:1:808:8:800:10.0.0.1'],
    ['64:ff9b:1::/48', '64:ff9b:1:808:a:0:100:0'],
    ['64:ff9b:1:5d00::/56', '64:ff9b:1:5db8:d8:2200:10.0.0.1'],
    ['64:ff9b:1:0::/64', '64:ff9b:1:0:5d:b8d8:2200:1'],
  ] as const) {
    const guard = createAddressGuard({ allowCidrs: [range], denyCidrs: ['34.0.0.0/24'] }, () => []);
    expect([address, allows(address, guard)]).toEqual([address, false]);
  }
  const guard = createAddressGuard({ allowCidrs: ['64:ff9b:1::/48'], denyCidrs: [] }, () => []);
  expect(allows('64:ff9b:1::8.8.8.8', guard)).toBe(true);
  // Every position contains an address of 0.0.0.0/8.
  expect(allows('64:ff9b:1::5', guard)).toBe(false);
});
