// Listens, and stops in order: unready, no new connections, requests finished, events handed over.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { errorCode } from '../lib/platform/error-code.ts';
import { createKoaApp } from './app.ts';
import type { ApiContext } from './context.ts';
import { createServer } from './http/create-server.ts';

/** A listening api. Disposing of it lets requests in flight finish first. */
export interface RunningApi extends AsyncDisposable {
  port: number;
}

// Node's default. What waits to be taken beyond it the system may reset.
const backlogMin = 511;
// After this long, connections that still transfer are cut, so that a stop ends within its time.
const drainTimeoutMs = 8_000;

/** Starts listening. Throws one clear sentence when the port is taken. */
export async function serve(context: ApiContext): Promise<RunningApi> {
  const { port, host, connectionsMax } = context.config.http;
  const server = createServer(createKoaApp(context), context.config.http);
  try {
    server.listen({ port, host, backlog: Math.max(backlogMin, connectionsMax) });
    await once(server, 'listening');
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE') {
      throw new Error(`port ${port} is in use; set PORT to another, or to 0 for any`, {
        cause: error,
      });
    }
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      context.draining = true;
      const closed = once(server, 'close');
      server.close();
      const cut = setTimeout(() => server.closeAllConnections(), drainTimeoutMs);
      await closed;
      clearTimeout(cut);
      await context.dispatcher.drained();
      await context.rateLimits[Symbol.asyncDispose]();
      await context.load[Symbol.asyncDispose]();
    },
  };
}
