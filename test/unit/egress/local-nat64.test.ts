// A local NAT64 address is public if the IPv4 address after its allowed prefix is.
import { expect, test } from 'vitest';
import { type AddressGuard, createAddressGuard } from '../../../lib/egress/address-guard.ts';

function allows(address: string, guard: AddressGuard): boolean {
  return guard.verdict(address).allowed;
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
  const publicOnly = createAddressGuard({ allowCidrs: [], denyCidrs: [] }, () => []);
  expect(allows('64:ff9b:1:808:8:800::', publicOnly)).toBe(false);
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
