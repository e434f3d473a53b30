// A request below its route: head, client, connections of an address, query, body; and the headers of each response.
import type { IncomingMessage } from 'node:http';
import { readHead } from '../../../api/http/request-head.ts';
import { clientAddress } from '../../../api/http/client-address.ts';
import { createAddressShares } from '../../../api/http/limit-connections.ts';
import { parseTime } from '../../../api/http/query-values.ts';
import { AppError, type FieldError } from '../../../lib/platform/errors.ts';
import { type invalidRequest, validator } from '../../../api/http/validate.ts';
import { writtenObject } from '../../../api/http/written-object.ts';
import { securityHeaders } from '../../../api/http/set-security-headers.ts';

function head(rawHeaders: string[], { url = '/x', httpVersion = '1.1' } = {}) {
  return readHead({ rawHeaders, url, httpVersion } as IncomingMessage);
}

test.each(['a', 'a.example:443', '127.0.0.1:80', '[::1]', '[2001:db8::1]:8443', 'a_b', 'a:', ''])(
  'the host %j is accepted',
  (host) => {
    expect(head(['Host', host])).toEqual({ target: '/x' });
  },
);

test.each(['a@b', 'a/b', 'a b', 'a,b', 'a#b', 'a\\b', 'a:port', '[::1', '::1', 'é'])(
  'the host %j is refused',
  (host) => {
    expect(head(['Host', host])).toHaveProperty('fault');
  },
);

test.each([
  [['chunked'], '1.1', true],
  [['Chunked'], '1.1', true],
  [['chunked'], '1.0', false],
  [['gzip, chunked'], '1.1', false],
  [['gzip', 'chunked'], '1.1', false],
  [['chunked', 'chunked'], '1.1', false],
  [['identity'], '1.1', false],
] as const)('the codings %j in HTTP/%s are taken: %p', (codings, httpVersion, isTaken) => {
  const raw = ['host', 'x', ...codings.flatMap((coding) => ['Transfer-Encoding', coding])];
  expect('target' in head(raw, { httpVersion })).toBe(isTaken);
});

test.each([
  ['/a?b=c', '/a?b=c'],
  ['http://other.example/a?b', '/a?b'],
  ['*', '*'],
  ['a', null],
  ['', null],
  ['ftp://x/a', null],
  ['http://[::1', null],
])('the target %j is read as %j', (url, target) => {
  const read = head(['host', 'x'], { url });
  expect('target' in read ? read.target : null).toBe(target);
});

function addressOf(forwarded: string | undefined, hops: number): string | null {
  const request = {
    socket: { remoteAddress: '10.0.0.1' },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  };
  return clientAddress(request as IncomingMessage, hops);
}

test.each([
  // No proxy is trusted: the client's header is ignored.
  [undefined, 0, '10.0.0.1'],
  ['203.0.113.7', 0, '10.0.0.1'],
  // One proxy added the last entry, two the last two; the client may have written those before.
  ['203.0.113.7', 1, '203.0.113.7'],
  ['6.6.6.6, 203.0.113.7', 1, '203.0.113.7'],
  ['6.6.6.6,203.0.113.7 , 10.0.0.2', 2, '203.0.113.7'],
  // With a port, as some proxies add it.
  ['6.6.6.6:1, 203.0.113.7:4711', 1, '203.0.113.7'],
  ['[2001:db8::1]', 1, '2001:db8::1'],
  ['[2001:db8::1]:443', 1, '2001:db8::1'],
  ['[::ffff:203.0.113.7]:65535', 1, '::ffff:203.0.113.7'],
  // Fewer entries than proxies, or one that is no address: the address of the connection.
  ['203.0.113.7', 2, '10.0.0.1'],
  ['unknown', 1, '10.0.0.1'],
  ['203.0.113.7:port', 1, '10.0.0.1'],
  ['203.0.113.256:4711', 1, '10.0.0.1'],
  ['[2001:db8::g]:443', 1, '10.0.0.1'],
  ['[2001:db8::1%eth0]', 1, '10.0.0.1'],
])('with X-Forwarded-For %j behind %d proxies the address is %s', (forwarded, hops, address) => {
  expect(addressOf(forwarded, hops)).toBe(address);
});

test.each([
  ['203.0.113.1', '203.0.113.1'],
  ['203.0.113.1', '::ffff:203.0.113.1'],
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
])('%s and %s share a count', (one, same) => {
  const shares = createAddressShares(2, 100);
  expect(shares.take(one)).not.toBeNull();
  expect(shares.take(same)).not.toBeNull();
  expect(shares.take(one)).toBeNull();
  expect(shares.take(same)).toBeNull();
});

test.each([
  ['203.0.113.1', '203.0.113.2'],
  ['2001:db8:1:2::1', '2001:db8:1:3::1'],
])('%s and %s have separate counts', (one, other) => {
  const shares = createAddressShares(1, 100);
  expect(shares.take(one)).not.toBeNull();
  expect(shares.take(one)).toBeNull();
  expect(shares.take(other)).not.toBeNull();
});

test('a release frees one connection, and an address without connections is forgotten', () => {
  const shares = createAddressShares(2, 100);
  const [first, second] = [shares.take('203.0.113.1'), shares.take('203.0.113.1')];
  const other = shares.take('203.0.113.2');
  expect(shares.names()).toBe(4);
  first?.();
  expect(shares.names()).toBe(4);
  const third = shares.take('203.0.113.1');
  expect(third).not.toBeNull();
  expect(shares.take('203.0.113.1')).toBeNull();
  for (const free of [second, third, other]) free?.();
  expect(shares.names()).toBe(0);
});

test('all networks of an IPv6 /48 together hold three quarters of the connections', () => {
  const shares = createAddressShares(2, 8);
  const ofSite = Array.from({ length: 8 }, (_, n) => shares.take(`2001:db8:1:${n}::1`));
  expect(ofSite.filter((free) => free !== null)).toHaveLength(6);
  expect(shares.take('2001:db8:2::1')).not.toBeNull();
  expect(shares.take('203.0.113.1')).not.toBeNull();
  ofSite[0]?.();
  expect(shares.take('2001:db8:1:ffff::1')).not.toBeNull();
});

function detailOf(text: string): string {
  try {
    return parseTime('since', text).toISOString();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.message;
  }
}

test('a time whose plus a query has lost is refused with the cure', () => {
  const of = (text: string): string =>
    detailOf(new URLSearchParams(`since=${text}`).get('since') ?? '');
  expect(of('2026-11-21T12:00:00%2B02:00')).toBe('2026-11-21T10:00:00.000Z');
  const rule = 'since must be a time such as 2026-11-21T12:00:00Z';
  expect(of('2026-11-21T12:00:00+02:00')).toBe(`${rule}; write + as %2B in a query`);
  expect(of('2026-11-21T12:00:00')).toBe(rule);
});

const validate = validator<Record<string, unknown>>({
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 3 },
    note: { type: ['string', 'null'] },
    count: { type: 'integer', minimum: 2, maximum: 4 },
    live: { type: 'boolean' },
    uids: {
      type: 'array',
      items: { enum: ['a', 'b', 'c'] },
      uniqueItems: true,
      maxItems: 3,
      minItems: 1,
    },
    labels: { type: 'object', maxProperties: 1 },
    texts: { type: 'object', additionalProperties: { type: 'string' } },
  },
});

function errorsOf(body: Record<string, unknown>): FieldError[] {
  try {
    validate(body);
  } catch (error) {
    const { errors = [] } = error as ReturnType<typeof invalidRequest>;
    return errors;
  }
  return [];
}

const faultsOf = (body: Record<string, unknown>): string[] =>
  errorsOf(body).map(({ detail }) => detail);

test.each<[Record<string, unknown>, string]>([
  [{}, 'name is required'],
  [{ name: 'a', nmae: 'a' }, 'nmae is not a field of this request'],
  [{ name: 'a', 'a/b~c.d~1': 1 }, 'a/b~c.d~1 is not a field of this request'],
  [{ name: 1 }, 'name must be a string'],
  [{ name: '' }, 'name must have at least 1 character'],
  [{ name: 'a', note: 1 }, 'note must be a string or null'],
  [{ name: 'a', count: 1 }, 'count must be at least 2'],
  [{ name: 'a', count: 2.5 }, 'count must be a whole number'],
  [{ name: 'a', live: 'yes' }, 'live must be true or false'],
  [{ name: 'a', uids: {} }, 'uids must be an array'],
  [{ name: 'a', uids: [] }, 'uids must have at least 1 item'],
  [{ name: 'a', uids: ['d'] }, 'uids.0 must be one of a, b, c'],
  [
    { name: 'a', uids: ['b', 'c', 'b'] },
    'uids must not contain an item twice: items 1 and 3 are the same',
  ],
])('%j: %s', (body, sentence) => {
  expect(faultsOf(body)).toEqual([sentence]);
});

test.each([
  ['of slashes', '/'.repeat(250_000), '/'.repeat(200)],
  ['that the cut would split in a character', `k${'😀'.repeat(100)}`, `k${'😀'.repeat(99)}�`],
])('a long key %s is cut in pointer and sentence', (_what, key, shown) => {
  const step = `${shown.replaceAll('/', '~1')}…`;
  expect([
    ...errorsOf({ name: 'a', [key]: 1 }),
    ...errorsOf({ name: 'a', texts: { [key]: 1 } }),
  ]).toMatchObject([
    { pointer: `#/${step}`, detail: `${shown}… is not a field of this request` },
    { pointer: `#/texts/${step}`, detail: `texts.${shown}… must be a string` },
  ]);
});

test.each([
  [20, 20],
  [21, 20],
])('of a body with %i faults %i are listed and two named, and all are counted', (count, listed) => {
  const body = {
    name: 'a',
    texts: Object.fromEntries(Array.from({ length: count }, (_, n) => [`t${n}`, n])),
  };
  expect(errorsOf(body)).toHaveLength(listed);
  expect(() => validate(body)).toThrow(`t1 must be a string (and ${count - 2} more)`);
});

test.each([
  ['{}', '{"data":{}}'],
  ['{ "a" : 1 }', '{"event":"x","data":{ "a" : 1 }}'],
  ['{"a":{"b":[{}]}}', '{"data":{"a":{"b":[{}]}},"event":"x"}'],
  ['{"a":"}"}', '{"data":{"a":"}"}}'],
  [String.raw`{"a":"\"}{\\"}`, String.raw`{"data":{"a":"\"}{\\"}}`],
  ['{"data":{"data":1}}', '{"data":{"data":{"data":1}}}'],
  ['{"a":1}', '{"other":{"data":{}},"data":{"a":1}}'],
  ['{"a":1}', '{"other":[{"data":{}}],"data":{"a":1}}'],
  ['{"a":1}', '{"event":"data","data":{"a":1}}'],
  ['{"a":1}', '{"other":"\\"data\\":{}","data":{"a":1}}'],
  ['{"a":1}', String.raw`{"d\u0061ta":{"a":1}}`],
  ['{"a":1}', '\n{ "data" :\r\n\t{"a":1} } '],
])('%s is what %s has at data', (data, body) => {
  JSON.parse(body);
  expect(writtenObject(body, 'data')).toBe(data);
});

test.each(['{}', '{"data":[{}]}', '{"data":"{}"}', '{"other":{"data":{}}}', '{"x":["data",{}]}'])(
  '%s has no object at data',
  (body) => {
    expect(() => writtenObject(body, 'data')).toThrow('the body has no object data');
  },
);

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
