// The email addresses of operations webhooks, and the setting of the mail server.
import { expect, test } from 'vitest';
import { checkMailUrl } from '../../../lib/egress/mail-url.ts';
import { parseMailServer } from '../../../lib/egress/mail-server.ts';
import { hostOf, originOf } from '../../../lib/model/url-origin.ts';

const set = { mail: {} };
const label63 = 'a'.repeat(63);
const domain189 = [label63, label63, 'a'.repeat(57), 'com'].join('.');

test.each([
  ['mailto:ops@example.com', 'mailto:ops@example.com'],
  ['MAILTO:Ops+Herald@Example.COM', 'mailto:Ops+Herald@example.com'],
  ["mailto:o'brien@example.com", "mailto:o'brien@example.com"],
  [`mailto:${'a'.repeat(64)}@${domain189}`, `mailto:${'a'.repeat(64)}@${domain189}`],
])('%s is accepted', (text, url) => {
  expect(checkMailUrl(text, set)).toEqual({ ok: true, url });
});

test.each([
  'mailto:ops',
  'mailto:ops@',
  'mailto:ops@example.com,dev@example.com',
  'mailto:ops@example.com?cc=dev@example.com',
  'mailto:ops@example.com%0d%0aBcc:dev@example.com',
  'mailto:ops@example.com\r\nBcc:dev@example.com',
  'mailto:Ops <ops@example.com>',
  'mailto:ops.@example.com',
  'mailto:o..ps@example.com',
  'mailto:ops@exa_mple..com',
  'mailto:ops@127.0.0.1',
  'mailto:öps@example.com',
  `mailto:${'a'.repeat(65)}@example.com`,
  `mailto:${'a'.repeat(64)}@a${domain189}`,
])('%j is refused', (text) => {
  const reason = 'url must be mailto: and one plain address without parameters';
  expect(checkMailUrl(text, set)).toEqual({ ok: false, reason });
});

test('without a mail server an address is refused, and the reason says so', () => {
  const reason = 'url must not be mailto:, because the service has no mail server';
  expect(checkMailUrl('mailto:ops@example.com', { mail: null })).toEqual({ ok: false, reason });
});

test('the origin of a URL is shown, and the domain of an email address', () => {
  expect(originOf('https://hooks.example.com:8443/secret?x=1')).toBe(
    'https://hooks.example.com:8443',
  );
  expect(originOf('mailto:ops@example.com')).toBe('mailto:@example.com');
  expect(hostOf('https://hooks.example.com:8443/secret')).toBe('hooks.example.com:8443');
  expect(hostOf('mailto:ops@example.com')).toBe('example.com');
});

test.each([
  ['smtp://mail.example.com', { port: 587, isTls: false, login: null, needsTls: false }],
  ['smtps://mail.example.com/', { port: 465, isTls: true, login: null, needsTls: false }],
  [
    'smtp://herald:p%40ss@mail.example.com:2525',
    { port: 2525, login: { user: 'herald', pass: 'p@ss' }, needsTls: true },
  ],
  // A connection to this machine needs no TLS.
  ['smtp://herald:pass@127.0.0.1:25', { login: { user: 'herald', pass: 'pass' }, needsTls: false }],
  ['smtp://[::1]:25', { host: '::1' }],
])('the mail server %s is parsed', (text, server) => {
  expect(parseMailServer(text)).toMatchObject(server);
});

test.each([
  'mail.example.com',
  'https://mail.example.com',
  'smtp://',
  'smtp://mail.example.com/path',
  'smtp://mail.example.com?tls=off',
  'smtp://user@mail.example.com',
  'smtp://:secret@mail.example.com',
  'smtp://user:%zz@mail.example.com',
])('the mail server %j is refused, and the error does not repeat it', (text) => {
  expect(() => parseMailServer(text)).toThrow(/^must (?:be smtp|have both)/);
  expect(() => parseMailServer(text)).not.toThrow(/secret|%zz/);
});
