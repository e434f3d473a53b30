// Ports: the preferred one if it is free, never one in use.
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { pickPort, pickPorts, requirePort } from '../../../dev/servers/free-port.ts';

let held: Server | undefined;

afterEach(async () => {
  if (!held) return;
  held.close();
  await once(held, 'close');
  held = undefined;
});

async function holdPort(host = '127.0.0.1'): Promise<number> {
  held = createServer().listen(0, host);
  await once(held, 'listening');
  const address = held.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

test('a free preferred port is returned', async () => {
  const free = await pickPort(0);
  expect(free).toBeGreaterThan(0);
  expect(await pickPort(free)).toBe(free);
});

test('a taken preferred port is replaced by a free one', async () => {
  const taken = await holdPort();
  const port = await pickPort(taken);
  expect(port).not.toBe(taken);
  expect(await requirePort(port)).toBe(port);
});

test('a port taken on all addresses counts as taken', async () => {
  const taken = await holdPort('0.0.0.0');
  expect(await pickPort(taken)).not.toBe(taken);
});

test('ports picked together differ, even when the same one is preferred', async () => {
  const free = await pickPort(0);
  const ports = await pickPorts([free, free, 0, 0]);
  expect(ports[0]).toBe(free);
  expect(new Set(ports).size).toBe(4);
});

test('a required port in use is reported in one sentence with the port and the setting', async () => {
  const taken = await holdPort();
  await expect(requirePort(taken, { setting: 'PORT' })).rejects.toThrow(
    `port ${taken} is already in use; stop what uses it, or set PORT to another port (0 picks a free one)`,
  );
});

test('a required port of 0 is any free one', async () => {
  expect(await requirePort(0, { setting: 'PORT' })).toBeGreaterThan(0);
});
