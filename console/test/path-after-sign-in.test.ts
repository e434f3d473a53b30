import { expect, test } from 'vitest';
import { pathAfterSignIn } from '../src/pages/session/path-after-sign-in.ts';

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
