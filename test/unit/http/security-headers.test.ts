// The headers of every answer, depending on the public address of the service.
import { expect, test } from 'vitest';
import { securityHeaders } from '../../../api/http/set-security-headers.ts';

test('HSTS is sent only if the public address is https', () => {
  expect(securityHeaders('https://herald.example')).toMatchObject({
    'strict-transport-security': 'max-age=31536000',
  });
  expect(securityHeaders('http://localhost:3000')).not.toHaveProperty('strict-transport-security');
});

test('the headers forbid running, framing, sniffing and caching an answer', () => {
  expect(securityHeaders('http://localhost:3000')).toEqual({
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
});
