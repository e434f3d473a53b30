// The client's address of a request behind proxies.
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { clientAddress } from '../../../api/http/client-address.ts';

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
  ['2001:db8::1', 1, '2001:db8::1'],
  // With a port, as some proxies add it.
  ['6.6.6.6:1, 203.0.113.7:4711', 1, '203.0.113.7'],
  ['[2001:db8::1]', 1, '2001:db8::1'],
  ['[2001:db8::1]:443', 1, '2001:db8::1'],
  ['[::ffff:203.0.113.7]:65535', 1, '::ffff:203.0.113.7'],
  // Fewer entries than proxies, or one that is no address: the address of the connection.
  [undefined, 1, '10.0.0.1'],
  ['203.0.113.7', 2, '10.0.0.1'],
  ['unknown', 1, '10.0.0.1'],
  ['203.0.113.7:port', 1, '10.0.0.1'],
  ['203.0.113.7:', 1, '10.0.0.1'],
  ['203.0.113.256:4711', 1, '10.0.0.1'],
  ['[203.0.113.7', 1, '10.0.0.1'],
  ['[2001:db8::g]:443', 1, '10.0.0.1'],
  ['[2001:db8::1]443', 1, '10.0.0.1'],
  ['[2001:db8::1%eth0]', 1, '10.0.0.1'],
  ['', 1, '10.0.0.1'],
])('with X-Forwarded-For %j behind %d proxies the address is %s', (forwarded, hops, address) => {
  expect(addressOf(forwarded, hops)).toBe(address);
});
