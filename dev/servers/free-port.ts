// Finds free TCP ports: one that is preferred, any free one, or exactly the one demanded.
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { errorCode } from '../../lib/platform/error-code.ts';

const loopback = '127.0.0.1';

/** Gives `preferred` when it is free on the loopback address, else a free port; 0 prefers none. */
export async function pickPort(preferred: number): Promise<number> {
  const [port = 0] = await pickPorts([preferred]);
  return port;
}

/** Gives one port for each preferred one, all different from one another; see `pickPort`. */
export async function pickPorts(preferred: readonly number[]): Promise<number[]> {
  const held: Server[] = [];
  try {
    // Each port is held until all are picked, so that no port is given twice.
    for (const port of preferred) {
      held.push(await listen(port, loopback).catch(() => listen(0, loopback)));
    }
    return held.map(portOf);
  } finally {
    await Promise.all(held.map(close));
  }
}

export interface RequirePortOptions {
  /** The setting that chose the port, for the error to name. */
  readonly setting?: string;
  readonly host?: string;
}

/** Gives `port` itself, or a free one for 0; throws one sentence when exactly that port cannot be used. */
export async function requirePort(
  port: number,
  { setting, host = loopback }: RequirePortOptions = {},
): Promise<number> {
  try {
    const server = await listen(port, host);
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

async function listen(port: number, host: string): Promise<Server> {
  const server = createServer();
  server.listen({ port, host, exclusive: true });
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
