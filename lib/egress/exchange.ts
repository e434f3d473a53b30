import { egressLimits } from '../limits.ts';
import { type AttemptScope, beginPhase, endPhase } from './attempt-trace.ts';
import { type Connection, destroyConnection } from './connection.ts';
import { createInterimSkipper } from './interim-answers.ts';
import { SendFault } from './send-fault.ts';
import type { Dispatcher } from 'undici';

const { bodyBytesReadMax, wireBytesReadMax, responseSampleBytesMax } = egressLimits;

/** `Retry-After` is a number or a date (RFC 9110 §10.2.3); longer text is neither. */
const retryAfterCharactersMax = 64;

export interface ExchangeRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly head: Buffer;
  /** The body was read to its end, so that the connection can be used again. */
  readonly complete: boolean;
}

export interface ExchangeScope extends AttemptScope {
  /** Called right before the request is written: what it throws ends the exchange. */
  readonly beforeRequest: () => void;
}

/** Closes the connection unless the answer is complete. Throws the signal's reason or undici's error. */
export function exchange(
  connection: Connection,
  request: ExchangeRequest,
  { signal, trace, beforeRequest }: ExchangeScope,
): Promise<Answer> {
  beginPhase(trace, 'exchange');
  trace.address = connection.address;
  return new Promise<Answer>((resolve, reject) => {
    const { socket } = connection;
    const bytesBefore = socket.bytesRead;
    const stopWatching = (): void => {
      signal.removeEventListener('abort', onAbort);
      socket.removeListener('readable', onReadable);
    };
    const fail = (error: Error): void => {
      stopWatching();
      destroyConnection(connection, error);
      reject(error);
    };
    const onAbort = (): void => fail(signal.reason);
    const finish = (answer: Answer): void => {
      stopWatching();
      if (!answer.complete) destroyConnection(connection);
      resolve(answer);
    };
    const reader = createAnswerReader({ trace, beforeRequest }, finish, fail);
    const skipInterim = createInterimSkipper(socket, () => {
      trace.answerBegan = true;
    });
    const onReadable = (): void => {
      skipInterim();
      if (socket.bytesRead - bytesBefore > wireBytesReadMax) reader.cut();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) {
      onAbort();
      return;
    }
    // Before the parser's listener, which a kept connection has already.
    socket.prependListener('readable', onReadable);
    connection.client.dispatch({ ...request, method: 'POST' }, reader.handler);
  });
}

function createAnswerReader(
  { trace, beforeRequest }: Pick<ExchangeScope, 'trace' | 'beforeRequest'>,
  finish: (answer: Answer) => void,
  fail: (error: Error) => void,
) {
  const chunks: Buffer[] = [];
  let bytesRead = 0;
  let status = 0;
  let retryAfter: string | null = null;

  const answer = (complete: boolean): Answer => ({
    status,
    retryAfter,
    head: Buffer.concat(chunks),
    complete,
  });

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart() {
      beforeRequest();
      beginPhase(trace, 'exchange');
    },
    onResponseStarted() {
      trace.answerBegan = true;
      endPhase(trace);
    },
    onResponseStart(_controller, statusCode, headers) {
      status = statusCode;
      retryAfter = readRetryAfter(headers['retry-after']);
    },
    onResponseData(_controller, chunk) {
      const wanted = responseSampleBytesMax - Math.min(bytesRead, responseSampleBytesMax);
      // Copied: the chunk would keep a larger buffer in memory.
      if (wanted > 0) chunks.push(Buffer.from(chunk.subarray(0, wanted)));
      bytesRead += chunk.length;
      if (bytesRead >= bodyBytesReadMax) finish(answer(false));
    },
    onResponseEnd() {
      finish(answer(true));
    },
    onResponseError(_controller, error) {
      // These end with their head, though it may announce the length of a body (RFC 9112 §6.3).
      if (status === 204 || status === 304) finish(answer(false));
      else fail(error);
    },
  };

  return {
    handler,
    /** Ends the answer where it is: its status decides if it is known already. */
    cut(): void {
      if (status >= 200) finish(answer(false));
      else fail(new SendFault('ANSWER_TOO_LONG', `no answer within ${wireBytesReadMax} bytes`));
    },
  };
}

function readRetryAfter(value: string | string[] | undefined): string | null {
  const first = typeof value === 'string' ? value : value?.[0];
  return first === undefined || first.length > retryAfterCharactersMax ? null : first;
}
