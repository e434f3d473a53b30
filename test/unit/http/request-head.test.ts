// The head of a request: one host, one coding and a path, more strictly than Node.
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { readHead } from '../../../api/http/request-head.ts';

function head(rawHeaders: string[], { url = '/x', httpVersion = '1.1' } = {}) {
  return readHead({ rawHeaders, url, httpVersion } as IncomingMessage);
}

test.each(['a', 'a.example:443', '127.0.0.1:80', '[::1]', '[2001:db8::1]:8443', 'a_b', 'a:', ''])(
  'the host %j is accepted',
  (host) => {
    expect(head(['Host', host])).toEqual({ target: '/x' });
  },
);

test.each([
  'a@b',
  'a/b',
  'a b',
  'a,b',
  'a?b',
  'a#b',
  'a\\b',
  'a:port',
  'a:1:2',
  '[::1',
  '::1',
  'é',
])('the host %j is refused', (host) => {
  expect(head(['Host', host])).toHaveProperty('fault');
});

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
