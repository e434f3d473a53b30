// Kept connections are limited per origin, in total, and in their idle time.
import { expect, test } from 'vitest';
import { type Connection, createConnection, IdlePool } from '../../../lib/egress/connection.ts';
import { startTcpReceiver } from '../../support/receivers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { connect } from 'node:net';
import { once } from 'node:events';

async function open(
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
  const older = await open(receiver.port, 'http://a.example.com');
  const newer = await open(receiver.port, 'http://a.example.com');
  pool.put(older);
  pool.put(newer);
  expect(pool.take(at('http://b.example.com'))).toBeNull();
  expect(pool.take(at('http://a.example.com'))).toBe(newer);
  expect(pool.take(at('http://a.example.com'))).toBe(older);
  expect(pool.take(at('http://a.example.com'))).toBeNull();
  pool.put(older);
  pool.put(newer);
  pool.close();
  expect([older.socket.destroyed, newer.socket.destroyed, pool.size]).toEqual([true, true, 0]);
});

test('the longest idle connection is closed when an origin or the idle pool has too many', async () => {
  await using receiver = await startTcpReceiver(() => undefined);
  const pool = new IdlePool({ idlePerOriginMax: 1, idleMax: 2 });
  const [first, second, third, fourth] = await Promise.all(
    ['a', 'a', 'b', 'c'].map((name) => open(receiver.port, `http://${name}.example.com`)),
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
  const connection = await open(receiver.port, 'http://a.example.com');
  connection.socket.on('error', () => undefined);
  pool.put(connection);
  receiver.sockets[0]?.resetAndDestroy();
  await waitFor(() => pool.size === 0);
  expect(pool.take(at('http://a.example.com'))).toBeNull();
});

test('a connection put on a closed idle pool is closed', async () => {
  await using receiver = await startTcpReceiver(() => undefined);
  const pool = new IdlePool({ idlePerOriginMax: 2, idleMax: 4 });
  pool.close();
  const connection = await open(receiver.port, 'http://a.example.com');
  pool.put(connection);
  expect(connection.socket.destroyed).toBe(true);
  expect(pool.size).toBe(0);
});

test('a connection with an owner is used only for that owner, and counts for its origin', async () => {
  await using receiver = await startTcpReceiver(() => undefined);
  const pool = new IdlePool({ idlePerOriginMax: 2, idleMax: 4 });
  const origin = 'https://a.example.com';
  const [nobodys, ones, others] = await Promise.all([
    open(receiver.port, origin),
    open(receiver.port, origin, 'one'),
    open(receiver.port, origin, 'other'),
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
