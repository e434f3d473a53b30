import { expect, test } from 'vitest';
import { latestChange } from '../../../lib/history/failures.ts';

const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 7, minute));

function row(action: string, minute: number, details: Record<string, unknown> = {}) {
  return { action, details, createdAt: at(minute) };
}

test.each([
  ['webhook.secret_rotated', {}, 'secret'],
  ['webhook.secret_promoted', {}, 'secret_promoted'],
  ['webhook.changed', { urlOrigin: 'https://a.example' }, 'url'],
  ['webhook.changed', { authType: null }, 'auth'],
  ['webhook.changed', { headerNames: ['x'] }, 'headers'],
  ['webhook.changed', { tlsFingerprint256: null }, 'tls'],
])('%s of %j may make a receiver refuse requests: %s', (action, details, what) => {
  expect(latestChange([row(action, 1, details)], null)).toEqual({ what, at: at(1) });
});

test.each([
  ['webhook.changed', { active: true }],
  ['webhook.changed', { events: null, name: 'A' }],
  ['webhook.tested', {}],
  ['webhook.created', { urlOrigin: 'https://a.example' }],
])('%s of %j does not', (action, details) => {
  expect(latestChange([row(action, 1, details)], null)).toBeNull();
});

test('the latest change counts, also the end of an old secret', () => {
  const rows = [row('webhook.changed', 1, { urlOrigin: 'x' }), row('webhook.secret_rotated', 3)];
  expect(latestChange(rows, null)?.what).toBe('secret');
  expect(latestChange(rows, at(2))?.what).toBe('secret');
  expect(latestChange(rows, at(4))).toEqual({ what: 'previous_secret_ended', at: at(4) });
});
