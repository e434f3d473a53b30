import { expect, test } from 'vitest';
import { bodyOfErasure, erasureFault, wordOf } from '../src/pages/erasures/erasure-wish.ts';

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

test('at least one and at most ten names of a user are required', () => {
  expect(erasureFault({ ...tenant, tenant: ' ' })).toBe('Enter the tenant.');
  expect(erasureFault(tenant)).toBeNull();
  expect(erasureFault(user(' \n'))).toMatch(/at least one/);
  expect(erasureFault(user(lines(10)))).toBeNull();
  expect(erasureFault(user(lines(11)))).toBe('Enter at most 10 identifiers at a time.');
});
