// The headers of every answer, by the address that callers know the service by.
import { expect, test } from 'vitest';
import { securityHeaders } from '../../../api/http/set-security-headers.ts';

test('browsers are told to stay with https where the service is known by it, and nowhere else', () => {
  expect(securityHeaders('https://herald.example')).toMatchObject({
    'strict-transport-security': 'max-age=31536000',
  });
  expect(securityHeaders('http://localhost:3000')).not.toHaveProperty('strict-transport-security');
});

test('an answer is no page: nothing of it is run, framed, sniffed or stored', () => {
  expect(securityHeaders('http://localhost:3000')).toEqual({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
});
