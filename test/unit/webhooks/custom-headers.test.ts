// The custom headers that a webhook may have, the credentials that a URL allows, and those that may move to another.
import { checkCarrier, checkMove } from '../../../api/webhooks/credential-fields.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { AppError } from '../../../lib/platform/errors.ts';
import { headerFaults } from '../../../lib/webhooks/custom-headers.ts';

const secret = { keyId: 'k1', sealed: '' };
const facts = { subject: '', issuer: '', fingerprint256: '', notAfter: new Date() };
type Carried = Pick<WebhookDocument, 'headers' | 'auth' | 'tls'>;
const all: Carried = {
  headers: { names: [], secret },
  auth: { type: 'basic', secret },
  tls: { ...facts, secret },
};
const none: Carried = { headers: null, auth: null, tls: null };

/** Returns the pointers and codes of refusals. */
function faultsOf(check: () => void): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return (error.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

test.each([
  ['https://a.example/', all, []],
  ['http://a.example/', all, ['#/tls needs_https']],
  ['http://a.example/', { ...all, tls: null }, []],
  ['mailto:ada@a.example', all, ['#/headers needs_http', '#/auth needs_http', '#/tls needs_https']],
  ['mailto:ada@a.example', none, []],
] as const)('%s carries %j but for %j', (url, fields, faults) => {
  expect(faultsOf(() => checkCarrier({ url, ...fields }))).toEqual(faults);
});

const stay = ['#/headers other_url', '#/auth other_url'];

test.each([
  ['https://a.example/hook', {}, []],
  ['https://a.example/other', {}, stay],
  ['https://a.example/hook?to=other', {}, stay],
  ['https://a.example:8443/', {}, stay],
  ['http://a.example/', {}, stay],
  ['https://b.a.example/', {}, stay],
  ['https://b.example/', { headers: null }, ['#/auth other_url']],
  ['https://b.example/', { headers: all.headers, auth: null }, []],
])('to %s with %j only what is set again moves', (url, again, faults) => {
  const before = { url: 'https://a.example/hook', ...all };
  expect(faultsOf(() => checkMove(before, { url, ...again }))).toEqual(faults);
  expect(faultsOf(() => checkMove({ ...before, ...none }, { url }))).toEqual([]);
});

/** Returns the faults as `name code`, with * for all headers. */
function headerFaultsOf(headers: Record<string, string>): string[] {
  return headerFaults(headers).map(({ name, code }) => `${name ?? '*'} ${code}`);
}

const similarToReserved =
  'contents webhook x-webhooks webhooks-id x-forward authorization-2 cookies hosts';

test.each(['X-Tenant', "!#$%&'*+-.^_`|~09azAZ", 'x'.repeat(100), ...similarToReserved.split(' ')])(
  'the name %s is accepted',
  (name) => {
    expect(headerFaultsOf({ [name]: 'v' })).toEqual([]);
  },
);

const invalidNames = [
  '',
  ' x',
  'x ',
  'x:',
  'x\n',
  'x\u0000',
  'x(',
  'x/y',
  'x"',
  'é',
  'x'.repeat(101),
];

test.each(invalidNames)('%j is not a valid header name', (name) => {
  expect(headerFaultsOf({ [name]: 'v' })).toEqual([`${name} header_name`]);
});

const reserved =
  'Authorization HOST Connection Content-Length content-type content-encoding Transfer-Encoding TE ' +
  'Trailer Upgrade Expect Keep-Alive Proxy-Authorization Proxy-Connection Accept-Encoding ' +
  'User-Agent Cookie Set-Cookie Date Via Forwarded X-Forwarded-For X-Webhook-Signature x-webhook- ' +
  'Webhook-Id webhook-future Traceparent tracestate';

test.each(reserved.split(' '))('the name %s is reserved', (name) => {
  expect(headerFaultsOf({ [name]: 'v' })).toEqual([`${name} reserved`]);
});

test.each(['', ' v', 'v ', 'a\tb', 'a\r\nX-Evil: 1', 'a\u0000', 'a\u007f', 'ü', 'a\u00a0b', '€'])(
  'the value %j is refused',
  (value) => {
    expect(headerFaultsOf({ 'x-a': value })).toEqual(['x-a header_value']);
  },
);

test('names that differ only in case are refused', () => {
  expect(headerFaultsOf({ 'X-A': '1', 'x-a': '2', 'x-b': '3' })).toEqual(['x-a repeated']);
});

test('names and values together have at most 4 KiB', () => {
  const filled = (bytes: number) => ({
    'x-a': 'v'.repeat(2_000),
    'x-b': 'v'.repeat(bytes - 2_006),
  });
  expect(headerFaultsOf(filled(4_096))).toEqual([]);
  expect(headerFaultsOf(filled(4_097))).toEqual(['* too_large']);
});
