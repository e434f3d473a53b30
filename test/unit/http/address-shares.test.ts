// The connections of an address: which addresses share a count, and no count is left behind.
import { expect, test } from 'vitest';
import { createAddressShares } from '../../../api/http/limit-connections.ts';

test.each([
  ['203.0.113.1', '203.0.113.1'],
  ['203.0.113.1', '::ffff:203.0.113.1'],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
])('%s and %s share a count', (one, same) => {
  const shares = createAddressShares(2, 100);
  expect(shares.take(one)).not.toBeNull();
  expect(shares.take(same)).not.toBeNull();
  expect(shares.take(one)).toBeNull();
  expect(shares.take(same)).toBeNull();
});

test.each([
  ['203.0.113.1', '203.0.113.2'],
  ['2001:db8:1:2::1', '2001:db8:1:3::1'],
])('%s and %s have separate counts', (one, other) => {
  const shares = createAddressShares(1, 100);
  expect(shares.take(one)).not.toBeNull();
  expect(shares.take(one)).toBeNull();
  expect(shares.take(other)).not.toBeNull();
});

test('a release frees one connection, and an address without connections is forgotten', () => {
  const shares = createAddressShares(2, 100);
  const [first, second] = [shares.take('203.0.113.1'), shares.take('203.0.113.1')];
  const other = shares.take('203.0.113.2');
  expect(shares.names()).toBe(4);
  first?.();
  expect(shares.names()).toBe(4);
  const third = shares.take('203.0.113.1');
  expect(third).not.toBeNull();
  expect(shares.take('203.0.113.1')).toBeNull();
  for (const free of [second, third, other]) free?.();
  expect(shares.names()).toBe(0);
});

test('all networks of an IPv6 /48 together hold three quarters of the connections', () => {
  const shares = createAddressShares(2, 8);
  const ofSite = Array.from({ length: 8 }, (_, n) => shares.take(`2001:db8:1:${n}::1`));
  expect(ofSite.filter((free) => free !== null)).toHaveLength(6);
  expect(shares.take('2001:db8:2::1')).not.toBeNull();
  expect(shares.take('203.0.113.1')).not.toBeNull();
  ofSite[0]?.();
  expect(shares.take('2001:db8:1:ffff::1')).not.toBeNull();
});
