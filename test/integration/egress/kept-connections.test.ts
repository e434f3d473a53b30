// Kept connections: when one is reused or replaced, and their limits per origin, owner, in total and in idle time.
import { createHttpSender } from '../../../lib/egress/http-sender.ts';
import { startReceiver, startTcpReceiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { policyOfThisMachine as policy, post, statusOf } from './sends.ts';
import { type Connection, createConnection, IdlePool } from '../../../lib/egress/connection.ts';
import { connect } from 'node:net';
import { once } from 'node:events';

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

async function openTo(
  port: number,
  origin: string,
  owner: string | null = null,
): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  return createConnection({ origin, owner }, socket, '127.0.0.1');
}

const at = (origin: string, owner: string | null = null) => ({ origin, owner });

test('the newest connection of an origin is used first, and only for that origin', async () => {
  await using receiver = await startTcpReceiver(() => undefined);
  const pool = new IdlePool({ idlePerOriginMax: 2, idleMax: 4 });
  const older = await openTo(receiver.port, 'http://a.example.com');
  const newer = await openTo(receiver.port, 'http://a.example.com');
  pool.put(older);
  pool.put(newer);
  expect(pool.take(at('http://b.example.com'))).toBeNull();
  expect(pool.take(at('http://a.example.com'))).toBe(newer);
  expect(pool.take(at('http://a.example.com'))).toBe(older);
  expect(pool.take(at('http://a.example.com'))).toBeNull();
  pool.put(older);
  pool.put(newer);
  pool.close();
  const late = await openTo(receiver.port, 'http://a.example.com');
  pool.put(late);
  expect([older, newer, late].map(({ socket }) => socket.destroyed)).toEqual([true, true, true]);
  expect(pool.size).toBe(0);
});

test('the longest idle connection is closed when an origin or the idle pool has too many', async () => {
  await using receiver = await startTcpReceiver(() => undefined);
  const pool = new IdlePool({ idlePerOriginMax: 1, idleMax: 2 });
  const [first, second, third, fourth] = await Promise.all(
    ['a', 'a', 'b', 'c'].map((name) => openTo(receiver.port, `http://${name}.example.com`)),
  );
  if (!first || !second || !third || !fourth) throw new Error('four connections were asked for');
  for (const connection of [first, second, third]) pool.put(connection);
  expect([first, second, third].map(({ socket }) => socket.destroyed)).toEqual([
    true,
    false,
    false,
  ]);
  pool.put(fourth);
  expect(second.socket.destroyed).toBe(true);
  expect(pool.size).toBe(2);
  pool.close();
});

test('a connection that its receiver closes leaves the idle pool by itself', async () => {
  await using receiver = await startTcpReceiver(() => undefined);
  const pool = new IdlePool({ idlePerOriginMax: 2, idleMax: 4 });
  const connection = await openTo(receiver.port, 'http://a.example.com');
  connection.socket.on('error', () => undefined);
  pool.put(connection);
  receiver.sockets[0]?.resetAndDestroy();
  await waitFor(() => pool.size === 0);
  expect(pool.take(at('http://a.example.com'))).toBeNull();
});

test('a connection with an owner is used only for that owner, and counts for its origin', async () => {
  await using receiver = await startTcpReceiver(() => undefined);
  const pool = new IdlePool({ idlePerOriginMax: 2, idleMax: 4 });
  const origin = 'https://a.example.com';
  const [nobodys, ones, others] = await Promise.all([
    openTo(receiver.port, origin),
    openTo(receiver.port, origin, 'one'),
    openTo(receiver.port, origin, 'other'),
  ]);
  for (const connection of [nobodys, ones]) pool.put(connection);
  expect(pool.take(at(origin, 'other'))).toBeNull();
  expect(pool.take(at(origin, 'one'))).toBe(ones);
  expect(pool.take(at(origin, 'one'))).toBeNull();
  for (const connection of [ones, others]) pool.put(connection);
  expect(nobodys.socket.destroyed).toBe(true);
  expect(pool.take(at(origin))).toBeNull();
  expect(pool.take(at(origin, 'other'))).toBe(others);
  pool.put(others);
  pool.close();
});
