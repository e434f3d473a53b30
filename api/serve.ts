import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { processLimits } from '../lib/limits.ts';
import { errorCode } from '../lib/platform/error-code.ts';
import { createKoaApp } from './app.ts';
import type { ApiContext } from './context.ts';
import { createServer } from './http/create-server.ts';

// Node's default. The system may reset connections beyond the backlog.
const backlogMin = 511;

interface Serving extends AsyncDisposable {
  port: number;
  /** Keeps serving requests, but is not ready, and ends each connection with its next response. */
  drain(): Promise<void>;
}

/** Listens. Disposing of it finishes open requests first. Throws if the port is taken. */
export async function serve(context: ApiContext): Promise<Serving> {
  const { port, host, connectionsMax, drainMs } = context.config.http;
  const server = createServer(createKoaApp(context), context.config.http);
  try {
    server.listen({ port, host, backlog: Math.max(backlogMin, connectionsMax) });
    await once(server, 'listening');
  } catch (error) {
    if (errorCode(error) === 'EADDRINUSE') {
      const message = `port ${port} is in use; set PORT to another, or to 0 for any`;
      throw new Error(message, { cause: error });
    }
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    // A request may be on its way on a connection that is closed while idle.
    async drain() {
      context.draining = true;
      await sleep(drainMs);
    },
    async [Symbol.asyncDispose]() {
      context.draining = true;
      const closed = once(server, 'close');
      server.close();
      await context.streams[Symbol.asyncDispose]();
      const cutAfterMs = processLimits.requestsCutAfterMs;
      const cut = setTimeout(() => server.closeAllConnections(), cutAfterMs);
      await closed;
      clearTimeout(cut);
      await context.starter.drained();
      await context.tokens.written();
      await context.rateLimits[Symbol.asyncDispose]();
      await context.load[Symbol.asyncDispose]();
    },
  };
}
