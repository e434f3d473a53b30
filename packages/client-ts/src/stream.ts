// The live stream of events. After an interruption it continues where it left off.
import { isType, parseJson, readError, unexpectedResponse } from './responses.ts';
import { checkFunction, checkSignal, checkVisible } from './checks.ts';
import { HeraldError, UnexpectedResponseError } from './errors.ts';
import type { EventWithPayload } from './generated/models.ts';
import type { CallOptions } from './options.ts';
import { mayRepeat, waitMsBefore } from './retries.ts';
import { MessageParser, type ServerSentMessage } from './server-sent.ts';
import {
  type CallFacts,
  connectionFailed,
  type Query,
  signalsOf,
  type Transport,
  wait,
} from './transport.ts';

export interface StreamedEvent {
  /** Pass it to a later stream as `lastEventId` to continue after this event. */
  readonly id: string;
  readonly event: EventWithPayload;
  /** The payload as text: the exact body that receivers get. Null after an erasure. */
  readonly payloadText: string | null;
}

export interface StreamOptions extends CallOptions {
  readonly lastEventId?: string;
  /** Called when the stream opens, initially and after each interruption. */
  readonly onOpen?: () => void;
  /** Called after each interruption, before the wait. */
  readonly onCut?: (error: HeraldError, waitMs: number) => void;
}

/** The service ended the stream permanently: the key, session or role has ended, or the application is disabled. */
export class StreamEndedError extends HeraldError {
  override readonly name = 'StreamEndedError';
}

interface StreamCall {
  readonly transport: Transport;
  readonly facts: CallFacts;
  readonly query: Query;
  readonly options: StreamOptions;
}

type StreamMessage = ServerSentMessage & { readonly event: StreamedEvent | null };

interface Connection {
  readonly requestId: string;
  readonly origin: string;
  readonly signal: AbortSignal;
  /** Cuts the connection unless data arrives, and `heard` is called, within the time. */
  readonly expect: (withinMs: number) => void;
  readonly heard: () => void;
}

// The service sends at least one message every 15 s.
const silenceMs = 40_000;
// Waits grow to 2 s.
const growingWaits = 4;
// Also caps `Retry-After`.
const longestWaitMs = 60_000;
const repeats = { isRepeatable: true, hasIdempotencyKey: false, count: 0 };
const payloadKey = ',"payload":';
const endings: readonly string[] = ['key_ended', 'session_ended', 'role_ended', 'app_disabled'];

/** Events as they are committed. `for await` iterates over them endlessly. Each is delivered at least once. */
export class EventStream implements AsyncIterable<StreamedEvent> {
  readonly #call: StreamCall;

  constructor(call: StreamCall) {
    this.#call = call;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<StreamedEvent> {
    const { transport, options } = this.#call;
    const { retries } = transport.limitsOf(options);
    checkSignal(options.signal);
    checkFunction('onOpen', options.onOpen);
    checkFunction('onCut', options.onCut);
    let lastId = options.lastEventId ?? null;
    if (lastId !== null) checkVisible('lastEventId', lastId, 2_000);
    let hasOpened = false;
    let failureCount = 0;
    for (;;) {
      const cut = new AbortController();
      try {
        for await (const message of this.#connect(lastId, cut)) {
          if (message.type === 'opened') options.onOpen?.();
          hasOpened = true;
          failureCount = 0;
          lastId = message.id ?? lastId;
          if (message.event !== null) yield message.event;
        }
      } catch (error) {
        options.signal?.throwIfAborted();
        failureCount += 1;
        const isTried = hasOpened || failureCount <= retries;
        if (!isTried || !mayRepeat(error, repeats)) throw error;
        const askedMs = waitMsBefore(Math.min(failureCount, growingWaits), error);
        const waitMs = Math.min(askedMs, longestWaitMs);
        options.onCut?.(error, waitMs);
        await wait(waitMs, options.signal);
      } finally {
        cut.abort();
      }
    }
  }

  /** Yields the messages of one connection. Always ends with an error. */
  async *#connect(
    lastId: string | null,
    cut: AbortController,
  ): AsyncGenerator<StreamMessage, never> {
    const { transport, facts, query, options } = this.#call;
    const accept = { accept: 'text/event-stream' };
    const headers = lastId === null ? accept : { ...accept, 'last-event-id': lastId };
    const prepared = transport.prepare(facts, { uids: [], query, headers }, options);
    const { origin } = new URL(prepared.url);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const connection: Connection = {
      requestId: prepared.requestId,
      origin,
      signal: AbortSignal.any([cut.signal, ...signalsOf(options)]),
      expect(withinMs) {
        clearTimeout(timer);
        timer = setTimeout(() => cut.abort(new Error(`silent for ${withinMs} ms`)), withinMs);
      },
      heard: () => clearTimeout(timer),
    };
    try {
      connection.expect(transport.limitsOf(options).timeoutMs);
      const response = await transport.request({ ...prepared, signal: connection.signal });
      if (!response.ok)
        throw await readError(response, prepared.requestId).catch((error: unknown) =>
          connectionFailed(origin, prepared.requestId, error),
        );
      if (response.body === null || !isType(response, 'text/event-stream'))
        throw unexpectedResponse(response, prepared.requestId);
      return yield* readMessages(response.body, connection);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function* readMessages(
  body: ReadableStream<Uint8Array>,
  connection: Connection,
): AsyncGenerator<StreamMessage, never> {
  const { requestId, origin } = connection;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = new MessageParser();
  for (;;) {
    connection.expect(silenceMs);
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw connectionFailed(origin, requestId, error);
    });
    // The time that the consumer spends on the messages does not count as silence.
    connection.heard();
    if (done) throw connectionFailed(origin, requestId, new Error('the stream ended'));
    for (const message of parser.push(decoder.decode(value, { stream: true }))) {
      if (message.type === 'closed') throw closedError(message, connection);
      yield { ...message, event: eventOf(message, requestId) };
    }
  }
}

function closedError({ data }: ServerSentMessage, { requestId, origin }: Connection): HeraldError {
  const closed = (parseJson(data ?? '') ?? {}) as { reason?: unknown; detail?: unknown };
  const reason = typeof closed.reason === 'string' ? closed.reason : 'closed';
  const detail = typeof closed.detail === 'string' ? closed.detail : 'no reason was given';
  const text = `${reason}: ${detail}`;
  return endings.includes(reason)
    ? new StreamEndedError({ code: reason, detail: text, requestId })
    : connectionFailed(origin, requestId, new Error(text));
}

/** Returns null for a message without an event. Throws `UnexpectedResponseError` if its data is not JSON. */
function eventOf(
  { type, data, id, payload }: ServerSentMessage,
  requestId: string,
): StreamedEvent | null {
  if (type !== 'message' || data === null || id === null) return null;
  const event = parseJson(data);
  if (typeof event !== 'object' || event === null) {
    throw new UnexpectedResponseError({
      code: 'unexpected_response',
      detail: 'an event of the stream is not a JSON object',
      status: 200,
      requestId,
    });
  }
  const streamed = event as EventWithPayload;
  // The service writes the payload last. In a string, its quotes would have backslashes.
  const start = data.indexOf(payloadKey) + payloadKey.length;
  const isThere = start >= payloadKey.length && streamed.payload !== null;
  return { id, event: streamed, payloadText: isThere ? (payload ?? data.slice(start, -1)) : null };
}
