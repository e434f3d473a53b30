import { expect, test } from 'vitest';
import { firstCurl } from '../src/pages/keys/first-curl.ts';
import { expiryOf, stateOfKey } from '../src/pages/keys/key-state.ts';
import { scopes } from '../src/pages/keys/scopes.ts';

const now = new Date('2026-11-23T12:00:00.000Z');

test.each([
  ['active', { state: 'active', expiresAt: null, rolledTo: null }],
  ['active', { state: 'active', expiresAt: '2026-11-30T12:00:00.001Z', rolledTo: null }],
  ['expiring', { state: 'active', expiresAt: '2026-11-30T12:00:00.000Z', rolledTo: null }],
  ['expired', { state: 'active', expiresAt: '2026-11-23T12:00:00.000Z', rolledTo: null }],
  ['expired', { state: 'expired', expiresAt: '2026-11-22T12:00:00.000Z', rolledTo: 'key_2' }],
  ['rolled', { state: 'active', expiresAt: '2026-11-24T12:00:00.000Z', rolledTo: 'key_2' }],
  ['revoked', { state: 'revoked', expiresAt: '2026-11-22T12:00:00.000Z', rolledTo: 'key_2' }],
] as const)('a key is %s with %o', (name, key) => {
  expect(stateOfKey(key, now).name).toBe(name);
});

test.each([
  ['never', '', null],
  ['30 days', '', '2026-12-23T12:00:00.000Z'],
  ['a year', '', '2027-11-23T12:00:00.000Z'],
  ['at a time', '2026-12-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
  ['at a time', '', null],
])('a key that ends %s (%s) ends at %s', (choice, endsAt, expiresAt) => {
  expect(expiryOf(choice, endsAt, now)).toBe(expiresAt);
});

test('the first call of a key is a read if its scopes allow one', () => {
  const key = { serviceUrl: 'http://localhost:3000/', appUid: 'app_1', apiKey: 'ahk_1' };
  expect(firstCurl({ ...key, scopes: ['users:auth', 'webhooks:read'] })).toBe(
    "curl 'http://localhost:3000/api/v1/appuid/app_1/webhooks' \\\n  -H 'x-api-key: ahk_1'",
  );
  for (const scope of scopes) {
    expect(firstCurl({ ...key, scopes: [scope] })).toContain(`-H 'x-api-key: ahk_1'`);
  }
});
