import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { errorCode } from '../../lib/platform/error-code.ts';

/** Returns for each preferred port, if it is free on the loopback address, it, or else another one. 0 means any. */
export async function pickPorts(preferred: readonly number[]): Promise<number[]> {
  const held: Server[] = [];
  try {
    // Each port is held until all are picked, so that none is picked twice.
    for (const port of preferred) held.push(await listen(port).catch(() => listen(0)));
    return held.map(portOf);
  } finally {
    await Promise.all(held.map(close));
  }
}

/** Returns `port`, or a free one for 0. Throws one sentence if it cannot be used. */
export async function requirePort(
  port: number,
  { setting }: { readonly setting?: string } = {},
): Promise<number> {
  try {
    const server = await listen(port);
    const chosen = portOf(server);
    await close(server);
    return chosen;
  } catch (error) {
    const code = errorCode(error) ?? 'unknown';
    const why = code === 'EADDRINUSE' ? 'is already in use' : `cannot be used (${code})`;
    const instead = setting ? `set ${setting} to another port` : 'ask for another port';
    throw new Error(`port ${port} ${why}; stop what uses it, or ${instead} (0 picks a free one)`, {
      cause: error,
    });
  }
}

// Below the range of outgoing connections, one of which could take the port before it is used.
const freePorts = { from: 10_000, to: 32_768 };
const triesMax = 100;

async function listen(port: number): Promise<Server> {
  if (port !== 0) return listenOn(port);
  for (let tries = 1; tries < triesMax; tries += 1) {
    const server = await listenOn(randomInt(freePorts.from, freePorts.to)).catch(() => null);
    if (server !== null) return server;
  }
  return listenOn(0);
}

async function listenOn(port: number): Promise<Server> {
  const server = createServer();
  server.listen({ port, host: '127.0.0.1', exclusive: true });
  await once(server, 'listening');
  return server;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the port is not open');
  return address.port;
}
