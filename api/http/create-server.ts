// The HTTP server under Koa: its limits, and answers to what never becomes a request.
import { createServer as createHttpServer, STATUS_CODES } from 'node:http';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { AppError, presentProblem } from '../../lib/errors.ts';
import type { ErrorCode } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { httpLog } from '../../lib/logger.ts';
import { readTarget } from './request-head.ts';

const headersTimeoutMs = 10_000;
const requestTimeoutMs = 15_000;
const keepAliveTimeoutMs = 65_000;
const timeoutCheckEveryMs = 1_000;
const headerBytesMax = 16 * 1024;

/** Makes the server of an application; nothing listens yet. */
export function createServer(app: Koa): Server {
  app.on('error', (error: unknown) => httpLog.error({ err: error }, 'request.faulted'));
  const handle = app.callback();
  const server = createHttpServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: timeoutCheckEveryMs,
      maxHeaderSize: headerBytesMax,
      // Node's own answer to a request without a host is empty; ours is below.
      requireHostHeader: false,
    },
    (request, response) => {
      const target = readTarget(request);
      if (target === null) {
        const problem = renderRaw('malformed_request', 'the request needs one host and a path');
        response.writeHead(problem.status, problem.headers).end(problem.body);
        return;
      }
      request.url = target;
      void handle(request, response);
    },
  );
  // Node's own answers to malformed requests have no body and no request id.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuse(socket, error));
  server.on('checkExpectation', (_request, response) => {
    const { status, headers, body } = renderRaw('expectation_failed', 'only 100-continue is met');
    response.writeHead(status, headers).end(body);
  });
  return server;
}

const codesOfFaults: Readonly<Record<string, { code: ErrorCode; detail: string }>> = {
  HPE_HEADER_OVERFLOW: {
    code: 'headers_too_large',
    detail: `the headers must be at most ${headerBytesMax} bytes`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'request_timeout',
    detail: `a request must arrive within ${requestTimeoutMs / 1_000} seconds`,
  },
};

function refuse(socket: Duplex, error: NodeJS.ErrnoException): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const fault = codesOfFaults[error.code ?? ''];
  const code = fault?.code ?? 'malformed_request';
  const { status, headers, body } = renderRaw(code, fault?.detail ?? 'this is not an HTTP request');
  httpLog.info({ requestId: headers['x-request-id'], status, code }, 'request.refused');
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
}

function renderRaw(
  code: ErrorCode,
  detail: string,
): { status: number; headers: Record<string, string>; body: string } {
  const error = new AppError(code, detail);
  const requestId = newId('req');
  const body = JSON.stringify(presentProblem(error, requestId));
  const headers = {
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    connection: 'close',
  };
  return { status: error.status, headers, body };
}
