// The sender and its kept connections: when one is reused, and when a new one replaces it.
import { expect, test } from 'vitest';
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { startReceiver, startTcpReceiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { failureOf, policyOfThisMachine as policy, post, statusOf } from './sends.ts';

test('a second request to an origin reuses the connection', async () => {
  await using receiver = await startReceiver((response) => response.end());
  await using sender = createHttpSender({ policy });
  await sender.send(post(receiver.url));
  let connects = 0;
  for (let round = 0; round < 20; round += 1) {
    const { ms, ...result } = await sender.send(post(receiver.url));
    expect(result).toMatchObject({ status: 200, address: '127.0.0.1' });
    if (ms.connect !== undefined) connects += 1;
    else expect(Object.keys(ms).sort()).toEqual(['firstByte', 'total']);
  }
  // One if a busy machine kept the connection idle until it was closed.
  expect(connects).toBeLessThanOrEqual(1);
  expect(receiver.sockets).toHaveLength(1 + connects);
});

test('concurrent requests each have a connection, and none waits for another', async () => {
  const waiting: (() => void)[] = [];
  await using receiver = await startReceiver((response) => {
    waiting.push(() => response.end());
    if (waiting.length === 20) for (const answer of waiting) answer();
  });
  await using sender = createHttpSender({ policy });
  const sends = Array.from({ length: 20 }, () => sender.send(post(receiver.url)));
  const results = await Promise.all(sends);
  expect(results.map(statusOf)).toEqual(Array.from({ length: 20 }, () => 200));
});

test('a kept connection that the receiver closed is replaced immediately', async () => {
  await using receiver = await startReceiver((response) => response.end());
  await using sender = createHttpSender({ policy });
  await sender.send(post(receiver.url));
  for (const socket of receiver.sockets) socket.destroy();
  const result = await sender.send(post(receiver.url));
  expect(statusOf(result)).toBe(200);
  expect(receiver.sockets).toHaveLength(2);
});

test('a kept connection that breaks during the next request is replaced immediately', async () => {
  let seen = 0;
  await using receiver = await startTcpReceiver((socket) => {
    socket.on('data', () => {
      seen += 1;
      if (seen === 2) socket.resetAndDestroy();
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
  });
  await using sender = createHttpSender({ policy });
  await sender.send(post(receiver.url));
  expect(statusOf(await sender.send(post(receiver.url)))).toBe(200);
  expect(receiver.sockets).toHaveLength(2);
});

test('a request whose kept connection breaks after the response began is not repeated', async () => {
  let seen = 0;
  await using receiver = await startTcpReceiver((socket) => {
    socket.on('data', () => {
      seen += 1;
      if (seen === 2) socket.end('HTTP/1.1 200 O');
      else socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
  });
  await using sender = createHttpSender({ policy });
  await sender.send(post(receiver.url));
  expect(failureOf(await sender.send(post(receiver.url)))).toBe('reset');
  expect(receiver.sockets).toHaveLength(1);
});

test('1,000 origins leave at most 256 connections open, and none once they are idle', async () => {
  await using receiver = await startReceiver((response) => response.end(), '0.0.0.0');
  await using sender = createHttpSender({ policy });
  const origins = Array.from({ length: 1_000 }, (_none, index) => {
    return `http://127.1.${index >> 8}.${index & 255}:${receiver.port}/`;
  });
  // In waves, because on a slow machine the last ones would wait too long for a permit.
  const waveMax = 200;
  for (let sent = 0; sent < origins.length; sent += waveMax) {
    const wave = origins.slice(sent, sent + waveMax);
    const results = await Promise.all(wave.map((url) => sender.send(post(url))));
    expect(new Set(results.map(statusOf))).toEqual(new Set([200]));
  }
  const countOpen = (): number => receiver.sockets.filter(({ destroyed }) => !destroyed).length;
  await waitFor(() => countOpen() <= 256);
  expect(receiver.sockets).toHaveLength(1_000);
  await waitFor(() => countOpen() === 0);
});
