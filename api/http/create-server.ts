// The HTTP server under Koa: its limits, and answers to what never becomes a request.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { AppError, type ErrorCode } from '../../lib/platform/errors.ts';
import { newId } from '../../lib/platform/ids.ts';
import { httpLog } from '../../lib/platform/logger.ts';
import { type ConnectionLimits, limitConnections } from './limit-connections.ts';
import { presentProblem, statusOf } from './problems.ts';
import { readHead } from './request-head.ts';
import { securityHeaders } from './set-security-headers.ts';

const headersTimeoutMs = 10_000;
const requestTimeoutMs = 15_000;
const keepAliveTimeoutMs = 65_000;
/** Often, so that those who are late together are not answered together, with everybody waiting. */
const timeoutCheckEveryMs = 200;
/** Nothing is sent or taken for so long, or twice as long where an answer waits to be read. */
const idleTimeoutMs = 30_000;
/** After a refusal, for the client to read it: closed at once, what it still sends would reset it. */
const lingerMs = 1_000;
const headerBytesMax = 16 * 1024;

export interface ServerOptions extends ConnectionLimits {
  publicUrl: string;
}

/** Makes the server of an application; nothing listens yet. */
export function createServer(app: Koa, { publicUrl, ...limits }: ServerOptions): Server {
  app.on('error', (error: unknown) => httpLog.error({ err: error }, 'request.faulted'));
  const handle = app.callback();
  const common = { ...securityHeaders(publicUrl), connection: 'close' };
  const refused = new WeakSet<Duplex>();
  const exchanges = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>();
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
      exchanges.set(request.socket, { request, response });
      const head = readHead(request);
      if ('fault' in head) {
        answer(response, renderRefusal({ code: 'malformed_request', detail: head.fault, common }));
        return;
      }
      request.url = head.target;
      void handle(request, response);
    },
  );
  server.timeout = idleTimeoutMs;
  // Their size is limited; beyond a number of them Node would drop some and tell nobody.
  server.maxHeadersCount = 0;
  limitConnections(server, limits);
  // Node's own answers to what follows have no body and no request id.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Each piece of what still comes is another such error, and must not cut the answer off.
    if (refused.has(socket)) return;
    const exchange = exchanges.get(socket);
    // What is wrong is the rest of a request that has its answer: a second one would be taken for
    // that of the next request.
    const isAnswered = exchange?.response.headersSent === true && !exchange.request.complete;
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswered) {
      socket.destroy();
      return;
    }
    refused.add(socket);
    end(socket, renderRefusal({ ...faultOf(error), common }));
  });
  server.on('checkExpectation', (_request, response) => {
    const fault = { code: 'expectation_failed', detail: 'only 100-continue is met' } as const;
    answer(response, renderRefusal({ ...fault, common }));
  });
  server.on('connect', (_request: IncomingMessage, socket) => {
    const detail = 'there are no tunnels here';
    const allow = { allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' };
    const headers = { ...common, ...allow };
    end(socket, renderRefusal({ code: 'method_not_allowed', detail, common: headers }));
  });
  return server;
}

interface Fault {
  code: ErrorCode;
  detail: string;
}

const faults: Readonly<Record<string, Fault>> = {
  HPE_HEADER_OVERFLOW: {
    code: 'headers_too_large',
    detail: `the headers must be at most ${headerBytesMax} bytes`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'request_timeout',
    detail:
      `a request must arrive within ${requestTimeoutMs / 1_000} seconds, ` +
      `its headers within ${headersTimeoutMs / 1_000}`,
  },
};

function faultOf({ code = '' }: NodeJS.ErrnoException): Fault {
  return faults[code] ?? { code: 'malformed_request', detail: 'this is not an HTTP request' };
}

interface Refusal {
  status: number;
  headers: Record<string, string>;
  body: string;
}

function renderRefusal({
  code,
  detail,
  common,
}: Fault & { common: Readonly<Record<string, string>> }): Refusal {
  const error = new AppError(code, detail);
  const status = statusOf(error);
  const requestId = newId('req');
  httpLog.info({ requestId, status, code }, 'request.refused');
  const body = JSON.stringify(presentProblem(error, requestId));
  const headers = {
    ...common,
    'content-type': 'application/problem+json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
  };
  return { status, headers, body };
}

function answer(response: ServerResponse, { status, headers, body }: Refusal): void {
  response.writeHead(status, headers).end(body);
}

/** Answers on the bare connection, and closes it although the other side may keep its half open. */
function end(socket: Duplex, { status, headers, body }: Refusal): void {
  // Node leaves a tunnel's connection to us, and an error that nobody listens to ends the process.
  socket.on('error', () => socket.destroy());
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
  // What still comes is thrown away, so that it neither piles up nor keeps the answer from arriving.
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
