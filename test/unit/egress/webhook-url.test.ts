// The rules for the text of a webhook URL: collected cases, and the value just outside each limit. And email addresses.
import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { readConfig } from '../../../lib/config/config.ts';
import { makeDevSecrets } from '../../../dev/start/dev-secrets.ts';
import type { EgressPolicy } from '../../../lib/egress/egress-policy.ts';
import { checkStoredUrl, checkWebhookUrl } from '../../../lib/egress/webhook-url.ts';
import { checkMailUrl } from '../../../lib/egress/mail-url.ts';
import { parseMailServer } from '../../../lib/egress/mail-server.ts';
import { hostOf, originOf } from '../../../lib/model/url-origin.ts';

interface UrlCase {
  readonly url: string;
  readonly verdict: 'allow' | 'deny';
}

const fixture = new URL('./webhook-url-cases.json', import.meta.url);
const { cases }: { cases: readonly UrlCase[] } = JSON.parse(readFileSync(fixture, 'utf8'));

const required = { MONGODB_URI: 'mongodb://localhost', ...makeDevSecrets() };
const { egress: defaultEgressPolicy } = readConfig(required);
const development: EgressPolicy = {
  allowHttp: true,
  ports: 'any',
  allowCidrs: ['127.0.0.0/8', '::1/128'],
  denyCidrs: [],
};

function reasonFor(url: string, policy: EgressPolicy = defaultEgressPolicy): string {
  const check = checkWebhookUrl(url, policy);
  return check.ok ? `allowed as ${check.url}` : check.reason;
}

function canonical(url: string, policy: EgressPolicy = defaultEgressPolicy): string {
  const check = checkWebhookUrl(url, policy);
  return check.ok ? check.url : `refused: ${check.reason}`;
}

test.each(cases)('the collected case $url gets the verdict $verdict', ({ url, verdict }) => {
  expect(reasonFor(url)).toMatch(verdict === 'allow' ? /^allowed as https:/ : /^url /);
});

test('the collection has hundreds of different cases, with both verdicts', () => {
  expect(new Set(cases.map(({ url }) => url)).size).toBe(cases.length);
  expect(cases.length).toBeGreaterThan(450);
  expect(cases.filter(({ verdict }) => verdict === 'allow').length).toBeGreaterThan(50);
});

const allowedUrls = [
  ['HTTPS://Example.COM/A?b=C', 'https://example.com/A?b=C'],
  ['https://ｅｘａｍｐｌｅ.com/', 'https://example.com/'],
  ['https://münich.example.com/é', 'https://xn--mnich-kva.example.com/%C3%A9'],
  ['https://my_hook.example.com', 'https://my_hook.example.com/'],
  ['https://[64:ff9b::8.8.8.8]/', 'https://[64:ff9b::808:808]/'],
  ['https://аррӏе.com/', 'https://xn--80ak6aa92e.com/'],
  ['https://раураl.example.com/', 'https://xn--l-7sba6dbr.example.com/'],
  ['https://ſtripe.com/', 'https://stripe.com/'],
  ['https://exam\u00adple.com/', 'https://example.com/'],
  ['https://exam\u200bple.com/', 'https://example.com/'],
  ['https://ex%61mple.com/', 'https://example.com/'],
  ['https://example.com:0443/../a/./b', 'https://example.com/a/b'],
  ['https://[2606:4700:0000::1111]/', 'https://[2606:4700::1111]/'],
];

test.each(allowedUrls)('%s is stored as %s', (given, stored) => {
  expect(canonical(given ?? '')).toBe(stored);
});

const invisible = Array.from(
  '\u00a0\u00ad\u034f\u061c\u115f\u180e\u2000\u200b\u200d\u200e\u2028\u2029\u202e\u202f' +
    '\u205f\u2060\u2066\u2800\u3000\u3164\ufe0f\ufeff\uffa0\u{e0041}\u{1d173}',
);
const patterns = [
  'https://example.com/hook_',
  'https://example.com/a_b',
  'https://example.com/?a=_',
  'https://example.com/?_=b',
];

test.each(patterns)(
  'no invisible character is accepted in place of _ in %s, plain or encoded',
  (place) => {
    for (const character of invisible) {
      for (const text of [
        character,
        encodeURIComponent(character),
        encodeURIComponent(character).toLowerCase(),
      ]) {
        const reason = reasonFor(place.replace('_', text));
        expect([character.codePointAt(0)?.toString(16), reason]).toEqual([
          expect.any(String),
          'url must not contain invisible characters',
        ]);
      }
    }
  },
);

test.each(['%C2%85', '%c2%a0', 'a%E2%80%8Bb'])('%s is refused in a path', (text) => {
  expect(reasonFor(`https://example.com/${text}`)).toBe(
    'url must not contain invisible characters',
  );
});

const encoded = '%20 %00 %0A a%20b %FF %E2%80 %E2%80%94 + %C3%BC %F0%9F%8E%89';

test.each(encoded.split(' '))('%s is accepted in a path and in a query', (text) => {
  expect(canonical(`https://example.com/${text}`)).toBe(`https://example.com/${text}`);
  expect(canonical(`https://example.com/?q=${text}`)).toBe(`https://example.com/?q=${text}`);
});

test('a host that IDNA leaves an invisible character in is refused', () => {
  expect(reasonFor('https://xn--10cl1a0b660p.com/')).toBe(
    'url must not contain invisible characters',
  );
});

test('an empty query or fragment is not shown, since it is not sent', () => {
  expect(canonical('https://example.com/hook?')).toBe('https://example.com/hook');
  expect(canonical('https://example.com?')).toBe('https://example.com/');
  expect(canonical('https://example.com/hook?a')).toBe('https://example.com/hook?a');
  expect(canonical('https://example.com/hook??')).toBe('https://example.com/hook??');
  expect(reasonFor('https://example.com/hook#')).toBe('url must not contain a fragment');
  expect(reasonFor('https://example.com/hook?#')).toBe('url must not contain a fragment');
});

test('a stored url with an invisible character is still sent to', () => {
  const stored = 'https://example.com/hook%E2%80%8B';
  expect(checkStoredUrl(stored, defaultEgressPolicy)).toEqual({ ok: true, url: stored });
});

test('a url gets the same verdict at every check', () => {
  // Node 20's URL.canParse changes its result for Latin-1 letters once it has been compiled.
  const url = 'https://m\u00fcnich.example.com/caf\u00e9';
  const verdicts = new Set<string>();
  for (let time = 0; time < 30_000; time += 1) verdicts.add(canonical(url));
  expect([...verdicts]).toEqual(['https://xn--mnich-kva.example.com/caf%C3%A9']);
});

test('a url may have at most 2048 characters, as given and as stored', () => {
  const start = 'https://example.com/';
  expect(reasonFor(start + 'p'.repeat(2_048 - start.length))).toMatch(/^allowed/);
  expect(reasonFor(start + 'p'.repeat(2_049 - start.length))).toMatch(/at most 2048/);
  expect(reasonFor(start + 'é'.repeat(1_000))).toMatch(/at most 2048/);
});

test('labels may have 63 characters and names 253, a trailing dot not counted', () => {
  const label = 'a'.repeat(63);
  expect(reasonFor(`https://${label}.com/`)).toMatch(/^allowed/);
  expect(reasonFor(`https://${label}a.com/`)).toMatch(/at most 63/);
  const long = `${label}.${label}.${label}.${'b'.repeat(57)}.com`;
  expect(long).toHaveLength(253);
  expect(reasonFor(`https://${long}/`)).toMatch(/^allowed/);
  expect(reasonFor(`https://${long}./`)).toMatch(/^allowed/);
  expect(reasonFor(`https://b${long}/`)).toMatch(/at most/);
});

test('http and port 80 are allowed only when the operator allows http', () => {
  const withHttp = { ...defaultEgressPolicy, allowHttp: true };
  expect(canonical('http://example.com/', withHttp)).toBe('http://example.com/');
  expect(reasonFor('http://example.com:8080/', withHttp)).toMatch(/443, 8443, 80/);
  expect(reasonFor('ftp://example.com/', withHttp)).toBe('url must be https or http (got ftp)');
});

test('port 0 is refused even when any port is allowed', () => {
  expect(reasonFor('http://127.0.0.1:0/', development)).toBe('url must not use port 0');
  expect(canonical('http://127.0.0.1:49152/x', development)).toBe('http://127.0.0.1:49152/x');
});

test('localhost is accepted only if the operator allows loopback', () => {
  expect(canonical('http://localhost:3000/', development)).toBe('http://localhost:3000/');
  expect(canonical('http://a.localhost:3000/', development)).toBe('http://a.localhost:3000/');
  expect(canonical('http://[::1]:3000/', development)).toBe('http://[::1]:3000/');
  expect(reasonFor('http://database:3000/', development)).toMatch(/full domain name/);
  expect(reasonFor('http://10.0.0.1/', development)).toMatch(/not a public address/);
  const other = { ...development, allowCidrs: ['10.0.0.0/8'] };
  expect(reasonFor('http://localhost/', other)).toMatch(/localhost/);
  const undone = { ...development, denyCidrs: ['127.0.0.0/8', '::1'] };
  expect(reasonFor('http://localhost/', undone)).toMatch(/localhost/);
});

test('a private name is accepted only if the operator allows it or a parent domain', () => {
  const policy = { ...defaultEgressPolicy, allowHosts: ['receiver', 'svc.cluster.local'] };
  expect(canonical('https://receiver/', policy)).toBe('https://receiver/');
  expect(canonical('https://receiver./', policy)).toBe('https://receiver./');
  expect(canonical('https://a.b.svc.cluster.local/', policy)).toMatch(/^https:/);
  expect(canonical('https://SVC.cluster.local/', policy)).toMatch(/^https:/);
  for (const other of [
    'https://receiver2/',
    'https://cluster.local/',
    'https://asvc.cluster.local/',
    'https://svc.cluster.local.corp/',
    'https://-x.svc.cluster.local/',
    'https://localhost/',
  ])
    expect(reasonFor(other, policy)).toMatch(/^url host /);
});

test('the check never throws, and an accepted url is accepted again unchanged', () => {
  const parts = fc.constantFrom(
    'https://',
    'http://',
    '//',
    '127.0.0.1',
    'example',
    '.com',
    '[::1]',
    '@',
    ':443',
    '/',
    '%00',
    '\\',
    '#',
    '。',
    'ſ',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.array(fc.oneof(parts, fc.string()), { maxLength: 8 }).map((list) => list.join('')),
  );
  fc.assert(
    fc.property(text, (given) => {
      const check = checkWebhookUrl(given, defaultEgressPolicy);
      if (!check.ok) return check.reason.startsWith('url ');
      return canonical(check.url) === check.url && new URL(check.url).hostname.includes('.');
    }),
    { numRuns: 2_000 },
  );
});

test('no spelling of a loopback or private IPv4 address is allowed', () => {
  const privateBits = fc.oneof(
    fc.integer({ min: 0x7f000000, max: 0x7fffffff }),
    fc.integer({ min: 0x0a000000, max: 0x0affffff }),
    fc.integer({ min: 0xa9fe0000, max: 0xa9feffff }),
  );
  const spell = fc.constantFrom(
    (bits: number) => String(bits),
    (bits: number) => `0x${bits.toString(16)}`,
    (bits: number) => `0${bits.toString(8)}`,
    (bits: number) => `${bits >>> 24}.${bits & 0xffffff}`,
    (bits: number) => `[::ffff:${(bits >>> 16).toString(16)}:${(bits & 0xffff).toString(16)}]`,
    (bits: number) => `[::${(bits >>> 16).toString(16)}:${(bits & 0xffff).toString(16)}]`,
    (bits: number) => `[64:ff9b::${(bits >>> 16).toString(16)}:${(bits & 0xffff).toString(16)}]`,
  );
  fc.assert(
    fc.property(privateBits, spell, (bits, spelling) => {
      return !checkWebhookUrl(`https://${spelling(bits)}/`, defaultEgressPolicy).ok;
    }),
    { numRuns: 1_000 },
  );
});

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
