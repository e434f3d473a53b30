import { egressLimits } from '../limits.ts';
import { type AttemptScope, beginPhase, endPhase } from './attempt-trace.ts';
import { type Connection, destroyConnection } from './connection.ts';
import { createInterimSkipper } from './interim-responses.ts';
import { type ResponseHeaders, ResponseStart } from './response-start.ts';
import { SendFault } from './send-fault.ts';
import type { Dispatcher } from 'undici';

const { bodyBytesReadMax, wireBytesReadMax, responseSampleBytesMax } = egressLimits;

export interface ExchangeRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly bodyStart: Buffer;
  /** The bytes of the body read from the wire. */
  readonly bodyBytes: number;
  /** Whether the body was read to its end, so that the connection can be reused. */
  readonly complete: boolean;
  /** Why reading stopped early; null if that was intended. */
  readonly fault: unknown;
}

export interface ExchangeScope extends AttemptScope {
  /** Called right before the request is written; if it throws, the exchange ends. */
  readonly beforeRequest: () => void;
}

/**
 * Sends a request and reads its response; closes the connection unless the response is complete. A status line counts
 * as a response, whatever follows. Without one, throws the signal's reason or undici's error.
 */
export function exchange(
  connection: Connection,
  request: ExchangeRequest,
  { signal, trace, beforeRequest }: ExchangeScope,
): Promise<ReceivedResponse> {
  beginPhase(trace, 'exchange');
  trace.address = connection.address;
  return new Promise<ReceivedResponse>((resolve, reject) => {
    const { socket } = connection;
    const bytesBefore = socket.bytesRead;
    let isOver = false;
    const stopWatching = (): void => {
      isOver = true;
      signal.removeEventListener('abort', onAbort);
      socket.removeListener('readable', onReadable);
    };
    const finish = (response: ReceivedResponse): void => {
      stopWatching();
      if (!response.complete) destroyConnection(connection);
      resolve(response);
    };
    const fail = (error: Error): void => {
      // The parser also reports an end that we caused.
      if (isOver) return;
      const response = reader.responseUntil(error);
      if (response !== null) {
        finish(response);
        return;
      }
      stopWatching();
      destroyConnection(connection, error);
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason);
    const reader = createResponseReader({ trace, beforeRequest }, finish, fail);
    const skipInterim = createInterimSkipper(socket, {
      onInterim: () => {
        trace.responseBegan = true;
      },
      onFinal: reader.addStart,
    });
    const onReadable = (): void => {
      if (reader.wantsStart()) skipInterim();
      if (socket.bytesRead - bytesBefore > wireBytesReadMax) fail(tooLong());
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) {
      onAbort();
      return;
    }
    // Must run before the parser's listener, which a reused connection already has.
    socket.prependListener('readable', onReadable);
    connection.client.dispatch({ ...request, method: 'POST' }, reader.handler);
  });
}

function tooLong(): SendFault {
  return new SendFault('RESPONSE_TOO_LONG', `no whole response within ${wireBytesReadMax} bytes`);
}

function createResponseReader(
  { trace, beforeRequest }: Pick<ExchangeScope, 'trace' | 'beforeRequest'>,
  finish: (response: ReceivedResponse) => void,
  fail: (error: Error) => void,
) {
  const start = new ResponseStart();
  const chunks: Buffer[] = [];
  let bodyBytes = 0;
  let requested = false;
  let head: Pick<ReceivedResponse, 'status' | 'headers'> | null = null;

  const response = (read: Omit<ReceivedResponse, 'bodyStart' | 'bodyBytes'>): ReceivedResponse => ({
    ...read,
    bodyStart: Buffer.concat(chunks),
    bodyBytes,
  });

  const keep = (chunk: Buffer): void => {
    const wanted = responseSampleBytesMax - Math.min(bodyBytes, responseSampleBytesMax);
    // Copied, because the chunk would keep a larger buffer in memory.
    if (wanted > 0) chunks.push(Buffer.from(chunk.subarray(0, wanted)));
    bodyBytes += chunk.length;
  };

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart() {
      beforeRequest();
      requested = true;
      beginPhase(trace, 'exchange');
    },
    onResponseStarted() {
      trace.responseBegan = true;
      endPhase(trace);
    },
    onResponseStart(_controller, status, headers) {
      if (status >= 200) head = { status, headers: (name) => firstOf(headers[name]) };
    },
    onResponseData(_controller, chunk) {
      start.drop();
      keep(chunk);
      if (head !== null && bodyBytes >= bodyBytesReadMax) {
        finish(response({ ...head, complete: false, fault: null }));
      }
    },
    onResponseEnd() {
      if (head !== null) finish(response({ ...head, complete: true, fault: null }));
    },
    onResponseError(_controller, error) {
      fail(error);
    },
  };

  return {
    handler,
    // Bytes before the request are not a response to it. Once undici has parsed the head, only undici reads.
    wantsStart: (): boolean => requested && head === null,
    addStart: (bytes: Buffer): void => start.add(bytes),
    /** Returns the response read before a fault, or null if there was not even a status line. */
    responseUntil(error: unknown): ReceivedResponse | null {
      const status = head?.status ?? start.status();
      if (status === null) return null;
      // These end with their head, which may still announce the length of a body (RFC 9112 §6.3).
      const fault = status === 204 || status === 304 ? null : error;
      const { headers, body } = start.read();
      if (bodyBytes === 0) keep(body);
      return response({ status, headers: head?.headers ?? headers, complete: false, fault });
    },
  };
}

function firstOf(value: string | string[] | undefined): string | null {
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}
