// The custom headers that a webhook may have.
import { expect, test } from 'vitest';
import { headerFaults } from '../../../lib/webhooks/custom-headers.ts';

/** Returns the faults as `name code`, with * for all headers. */
function faultsOf(headers: Record<string, string>): string[] {
  return headerFaults(headers).map(({ name, code }) => `${name ?? '*'} ${code}`);
}

test.each([
  'X-Tenant',
  'x-api-key',
  'Accept',
  "!#$%&'*+-.^_`|~09azAZ",
  'x'.repeat(100),
  // Similar to reserved names.
  'contents',
  'webhook',
  'x-webhooks',
  'webhooks-id',
  'x-forward',
  'authorization-2',
  'cookies',
  'hosts',
])('the name %s is accepted', (name) => {
  expect(faultsOf({ [name]: 'v' })).toEqual([]);
});

test.each([
  '',
  ' x',
  'x ',
  'x y',
  'x:',
  'x\n',
  'x\r',
  'x\u0000',
  'x(',
  'x/y',
  'x@',
  'x[',
  'x"',
  'é',
  'x\u007f',
  'x'.repeat(101),
])('%j is not a valid header name', (name) => {
  expect(faultsOf({ [name]: 'v' })).toEqual([`${name} header_name`]);
});

test.each([
  'Authorization',
  'HOST',
  'Connection',
  'Content-Length',
  'content-type',
  'content-encoding',
  'Transfer-Encoding',
  'TE',
  'Trailer',
  'Upgrade',
  'Expect',
  'Keep-Alive',
  'Proxy-Authorization',
  'Proxy-Connection',
  'Accept-Encoding',
  'User-Agent',
  'Cookie',
  'Set-Cookie',
  'Date',
  'Via',
  'Forwarded',
  'X-Forwarded-For',
  'X-Webhook-Signature',
  'x-webhook-',
  'Webhook-Id',
  'webhook-future',
  'Traceparent',
  'tracestate',
])('the name %s is reserved', (name) => {
  expect(faultsOf({ [name]: 'v' })).toEqual([`${name} reserved`]);
});

test('the fault of a reserved name says what to use instead, if anything', () => {
  const [fault] = headerFaults({ authorization: 'Bearer x' });
  expect(fault?.detail).toBe('is set by auth');
});

test.each(['v', 'two words', 'a  b', '!~', 'x'.repeat(4_000)])(
  'a value is accepted (%#)',
  (value) => {
    expect(faultsOf({ 'x-a': value })).toEqual([]);
  },
);

test.each([
  '',
  ' ',
  ' v',
  'v ',
  '\tv',
  'a\tb',
  'a\nb',
  'a\r\nX-Evil: 1',
  'a\u0000',
  'a\u007f',
  'ü',
  'a\u00a0b',
  '€',
])('the value %j is refused', (value) => {
  expect(faultsOf({ 'x-a': value })).toEqual(['x-a header_value']);
});

test('names that differ only in case are refused', () => {
  expect(faultsOf({ 'X-A': '1', 'x-a': '2', 'x-b': '3' })).toEqual(['x-a repeated']);
});

test('names and values together have at most 4 KiB', () => {
  const filled = (bytes: number) => ({
    'x-a': 'v'.repeat(2_000),
    'x-b': 'v'.repeat(bytes - 2_006),
  });
  expect(faultsOf(filled(4_096))).toEqual([]);
  expect(faultsOf(filled(4_097))).toEqual(['* too_large']);
});
