// The page for Prometheus, on its own port that serves nothing else.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorCode } from '../platform/error-code.ts';

const path = '/metrics';
const contentType = 'text/plain; version=0.0.4; charset=utf-8';
const connectionsMax = 32;
const requestTimeoutMs = 5_000;
// The effective limit doubles while a response waits to be read. Longer than most scrape intervals.
const idleTimeoutMs = 120_000;

export interface MetricsPage extends AsyncDisposable {
  port: number;
}

/** Serves the result of `write`, one call at a time for all callers. Throws a clear sentence if the port is taken. */
export async function serveMetricsPage(
  address: { port: number; host: string },
  write: () => Promise<string>,
): Promise<MetricsPage> {
  const server = createPageServer(shareCalls(write));
  try {
    server.listen(address);
    await once(server, 'listening');
  } catch (error) {
    if (errorCode(error) !== 'EADDRINUSE') throw error;
    const message = `port ${address.port} is in use; set HERALD_METRICS_PORT to another, or to 0 for any`;
    throw new Error(message, { cause: error });
  }
  // The server must not keep a finished process alive.
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function createPageServer(write: () => Promise<string>): Server {
  const limits = { headersTimeout: requestTimeoutMs, requestTimeout: requestTimeoutMs };
  const server = createServer(
    { ...limits, keepAliveTimeout: idleTimeoutMs },
    (request, response) => {
      request.resume();
      if (request.url?.split('?')[0] !== path) {
        response.writeHead(404).end();
        return;
      }
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.writeHead(405, { allow: 'GET, HEAD' }).end();
        return;
      }
      write().then(
        (page) => response.writeHead(200, { 'content-type': contentType }).end(page),
        // The SDK has logged why.
        () => response.writeHead(500).end(),
      );
    },
  );
  server.maxConnections = connectionsMax;
  // Idle connections must not keep out the next scrape.
  server.on('drop', () => server.closeIdleConnections());
  server.timeout = idleTimeoutMs;
  return server;
}

function shareCalls<T>(call: () => Promise<T>): () => Promise<T> {
  let inFlight: Promise<T> | null = null;
  return () => (inFlight ??= call().finally(() => (inFlight = null)));
}
