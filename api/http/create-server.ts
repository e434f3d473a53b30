// The HTTP server below Koa: its limits, and its responses to input that never becomes a request.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { httpLimits } from '../../lib/limits.ts';
import { AppError, type ErrorCode } from '../../lib/platform/errors.ts';
import { errorCode } from '../../lib/platform/error-code.ts';
import { newId } from '../../lib/platform/ids.ts';
import { httpLog } from '../../lib/platform/logger.ts';
import { type ConnectionLimits, limitConnections } from './limit-connections.ts';
import { presentProblem, problemType, statusOfCode } from './problems.ts';
import { readHead } from './request-head.ts';
import { securityHeaders } from './set-security-headers.ts';

// Frequent, so that only a few timeouts are handled at a time and nobody else waits for them.
const timeoutCheckEveryMs = 200;
// After an immediate close, data still arriving would reset the connection before the client reads the response.
const lingerMs = 1_000;
// Errors of streams whose reader left. Errors of handlers are turned into responses before they get here.
const goneCodes: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

export function createServer(
  app: Koa,
  { publicUrl, ...limits }: ConnectionLimits & { publicUrl: string },
): Server {
  app.on('error', (error: unknown) => {
    if (goneCodes.has(errorCode(error))) return;
    httpLog.error({ err: error }, 'request.faulted');
  });
  const handle = app.callback();
  const common = { ...securityHeaders(publicUrl), connection: 'close' };
  const refused = new WeakSet<Duplex>();
  const exchanges = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>();
  const server = createHttpServer(
    {
      headersTimeout: httpLimits.headersTimeoutMs,
      requestTimeout: httpLimits.requestTimeoutMs,
      keepAliveTimeout: httpLimits.keepAliveTimeoutMs,
      connectionsCheckingInterval: timeoutCheckEveryMs,
      maxHeaderSize: httpLimits.headerBytesMax,
      // Node's own response has no body. `readHead` checks the host.
      requireHostHeader: false,
    },
    (request, response) => {
      exchanges.set(request.socket, { request, response });
      const head = readHead(request);
      if ('fault' in head) {
        const fault = { code: 'malformed_request', detail: head.fault } as const;
        answer(response, renderRefusal(fault, common));
        return;
      }
      request.url = head.target;
      void handle(request, response);
    },
  );
  // Twice as long while a response waits to be read.
  server.timeout = httpLimits.idleTimeoutMs;
  // Their total size is limited. Node would silently drop headers above a count.
  server.maxHeadersCount = 0;
  limitConnections(server, limits);
  // Node's own responses to these events have no body and no request ID.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // More data of a rejected request is another error, which must not cut off the response.
    if (refused.has(socket)) return;
    const exchange = exchanges.get(socket);
    // The body of an answered request is broken: a second response would be taken for that of the next request.
    const isAnswered = exchange?.response.headersSent === true && !exchange.request.complete;
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswered) {
      socket.destroy();
      return;
    }
    refused.add(socket);
    end(socket, renderRefusal(faultOf(error), common));
  });
  server.on('checkExpectation', (_request, response) => {
    const fault = { code: 'expectation_failed', detail: 'Expect must be 100-continue' } as const;
    answer(response, renderRefusal(fault, common));
  });
  server.on('connect', (_request: IncomingMessage, socket) => {
    const fault = { code: 'method_not_allowed', detail: 'CONNECT is not supported' } as const;
    const headers = { ...common, allow: 'GET, HEAD, POST, PUT, PATCH, DELETE' };
    end(socket, renderRefusal(fault, headers));
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
    detail: `the headers must be at most ${httpLimits.headerBytesMax} bytes`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'request_timeout',
    detail:
      `a request must arrive within ${httpLimits.requestTimeoutMs / 1_000} seconds, ` +
      `and its headers within ${httpLimits.headersTimeoutMs / 1_000} seconds`,
  },
};

function faultOf({ code = '' }: NodeJS.ErrnoException): Fault {
  return faults[code] ?? { code: 'malformed_request', detail: 'this is not a valid HTTP request' };
}

type Refusal = ReturnType<typeof renderRefusal>;

function renderRefusal({ code, detail }: Fault, common: Readonly<Record<string, string>>) {
  const error = new AppError(code, detail);
  const status = statusOfCode(error.code);
  const requestId = newId('req');
  httpLog.info({ requestId, status, code }, 'request.refused');
  const body = JSON.stringify(presentProblem(error, requestId));
  const headers = {
    ...common,
    'content-type': problemType,
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
  };
  return { status, headers, body };
}

function answer(response: ServerResponse, { status, headers, body }: Refusal): void {
  response.writeHead(status, headers).end(body);
}

/** Responds on the bare connection, and closes it even if the client keeps its half open. */
function end(socket: Duplex, { status, headers, body }: Refusal): void {
  // Node does not handle errors of a CONNECT socket. An unhandled one would end the process.
  socket.on('error', () => socket.destroy());
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
  // Discards further data: it must neither pile up nor delay the response.
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
