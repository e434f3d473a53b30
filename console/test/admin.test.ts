// The pages of the audit log, erasures, keys and users, and the sign-in.
import type { AuditRow } from '@agent-herald/client';
import { changesOf } from '../src/pages/audit/audit-changes.ts';
import { actorOf, csvCellsOf, csvHeader, takeUpTo } from '../src/pages/audit/audit-rows.ts';
import { bodyOfErasure, isComplete, wordOf } from '../src/pages/erasures/erasure-wish.ts';
import { firstCurl } from '../src/pages/keys/first-curl.ts';
import { expiryOf, stateOfKey } from '../src/pages/keys/key-state.ts';
import { scopes } from '../src/pages/keys/scopes.ts';
import { pathAfterSignIn } from '../src/pages/session/path-after-sign-in.ts';
import { isUserUid } from '../src/pages/users/user-uid.ts';

test('a change has its old value, a duration its units, and a webhook its name', () => {
  const details = { name: 'New', previousName: 'Old', overlapSeconds: 86_400, isOfTenant: false };
  const named = new Map([['whk_1', 'Shop']]);
  expect(changesOf({ ...details, webhookUids: ['whk_1', 'whk_2'] }, named)).toEqual([
    { field: 'name', before: 'Old', after: 'New' },
    { field: 'overlap', before: null, after: '1 d' },
    { field: 'only one tenant', before: null, after: 'no' },
    { field: 'webhooks', before: null, after: 'Shop, whk_2' },
  ]);
});

test('the fields of a previous object are the old values', () => {
  const previous = { name: null, active: true };
  expect(
    changesOf({ name: 'Shop', active: false, urlOrigin: 'https://a.example', previous }),
  ).toEqual([
    { field: 'name', before: 'none', after: 'Shop' },
    { field: 'active', before: 'yes', after: 'no' },
    { field: 'url origin', before: null, after: 'https://a.example' },
  ]);
});

test.each([
  [null, 'none'],
  [[], 'none'],
  [['a', 'b'], 'a, b'],
  [false, 'no'],
  [{ a: 1 }, '{"a":1}'],
])('the value %j reads %s', (value, text) => {
  expect(changesOf({ field: value })).toEqual([{ field: 'field', before: null, after: text }]);
});

const names = new Map([['adm_1', 'ada@example.com']]);

test.each([
  [{ kind: 'admin', uid: 'adm_1' }, 'ada@example.com'],
  [{ kind: 'admin', uid: 'adm_2' }, 'adm_2'],
  [{ kind: 'system', uid: null }, 'the service or its command line'],
] as const)('the actor %o is called %s', (actor, name) => {
  expect(actorOf(actor, names)).toBe(name);
});

test('a row has a cell for each column of the export', () => {
  const row: AuditRow = {
    uid: 'aud_1',
    at: '2026-11-23T12:00:00.000Z',
    action: 'app.renamed',
    actor: { kind: 'admin', uid: 'adm_1' },
    target: { kind: 'app', uid: 'app_1' },
    details: { name: 'New' },
    address: null,
    requestId: 'req_1',
  };
  const cells = csvCellsOf(row, names);
  expect(cells).toHaveLength(csvHeader.length);
  expect(cells.slice(3)).toEqual([
    'ada@example.com',
    'app.renamed',
    'app',
    'app_1',
    '{"name":"New"}',
    '',
    'req_1',
  ]);
});

async function* count(to: number): AsyncGenerator<number> {
  for (let n = 1; n <= to; n += 1) yield n;
}

test('an export has at most its maximum number of rows, and reports whether there are more', async () => {
  expect(await takeUpTo(count(2), 3)).toEqual({ rows: [1, 2], isCut: false });
  expect(await takeUpTo(count(3), 3)).toEqual({ rows: [1, 2, 3], isCut: false });
  expect(await takeUpTo(count(4), 3)).toEqual({ rows: [1, 2, 3], isCut: true });
});

const tenant = { of: 'tenant', tenant: ' acme ', mentions: '' } as const;
const lines = (count: number) => Array.from({ length: count }, (_, n) => `name-${n}`).join('\n');
const user = (mentions: string) => ({ of: 'user', tenant: 'acme', mentions }) as const;

test('an erasure of a tenant contains its name, which must be typed to confirm', () => {
  expect(bodyOfErasure(tenant)).toEqual({ externalTenantId: 'acme' });
  expect(wordOf(tenant)).toBe('acme');
});

test('an erasure of a user contains each name once, without surrounding spaces', () => {
  const wish = user(' u-1\n\nu-1\r\njane@example.com ');
  expect(bodyOfErasure(wish)).toEqual({ mentions: ['u-1', 'jane@example.com'] });
  expect(wordOf(wish)).toBe('erase');
});

test('a tenant is required, or at least one and at most ten names of a user', () => {
  const wishes = [
    { ...tenant, tenant: ' ' },
    tenant,
    user(' \n'),
    user(lines(10)),
    user(lines(11)),
  ];
  expect(wishes.map(isComplete)).toEqual([false, true, false, true, false]);
});

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

test.each(['/', '/apps/app_1/audit-log?action=app.renamed&since=2026-01-01', '/me#top'])(
  'a sign-in leads to the path %s',
  (to) => {
    expect(pathAfterSignIn(to)).toBe(to);
  },
);

test.each([
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https://evil.example/',
  'https:evil.example',
  'http://',
  '/..//evil.example',
  '/.//evil.example',
  '/\t/evil.example',
  'javascript:alert(1)',
])('a sign-in does not lead to %j', (to) => {
  expect(pathAfterSignIn(to)).toBe('/');
});

test.each([
  ['usr_01m7zs6k2v5t9w8x4y7z0a1b2c', true],
  ['usr_01m7zs6k2v5t9w8x4y7z0a1b2', false],
  ['usr_01m7zs6k2v5t9w8x4y7z0a1b2c0', false],
  ['usr_anna', false],
  ['01m7zs6k2v5t9w8x4y7z0a1b2c', false],
])('%s is the uid of a user: %s; otherwise it is an external ID', (text, isUid) => {
  expect(isUserUid(text)).toBe(isUid);
});
