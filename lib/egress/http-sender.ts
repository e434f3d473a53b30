// Sends one webhook request to a receiver nobody trusts, and tells what happened as a value.
import { setMaxListeners } from 'node:events';
import { errorCode } from '../platform/error-code.ts';
import type { AttemptTimings } from '../model/attempt.ts';
import { addressGuardOf } from './address-guard.ts';
import { startDeadline } from './attempt-deadline.ts';
import { type AttemptTrace, createTrace, msSince } from './attempt-trace.ts';
import {
  classifySendError,
  isConnectionBroken,
  type SendErrorClass,
  type SendErrorVerdict,
} from './classify-send-error.ts';
import { type Connection, createConnection, IdlePool } from './connection.ts';
import type { EgressPolicy } from './egress-policy.ts';
import type { EgressProxy } from './egress-proxy.ts';
import { type Answer, exchange, type ExchangeOptions, type ExchangeRequest } from './exchange.ts';
import { openSocket, type SocketOpener } from './open-socket.ts';
import { createNameServerResolver } from './name-servers.ts';
import { requestHeaders } from './request-headers.ts';
import { createHostResolver, type Resolver } from './resolve-host.ts';
import { sampleText } from './response-sample.ts';
import { permitsPerOrigin, type Requester, RequestPermits } from './request-permits.ts';
import { faultText } from './send-fault.ts';
import { checkWebhookUrl } from './webhook-url.ts';

/**
 * The time of one whole attempt, from DNS to the last byte of the answer, unless the request
 * says.
 */
const attemptTimeoutMsDefault = 5_000;

/** Idle connections kept to one origin: as many as it has permits. */
const idlePerOriginMax = permitsPerOrigin;

/**
 * Idle connections kept in all, so that thousands of origins cannot hold memory and
 * descriptors.
 */
const idleMax = 256;

export interface SendMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

interface SendTarget extends Requester {
  readonly url: string;
  readonly timeoutMs?: number;
  /** Our own reason to stop, such as a shutdown. */
  readonly signal?: AbortSignal;
}

/**
 * A message, or how to make it when the request has its permits: then it tells and signs the time at
 * which it goes, and a long body is in memory no longer than it takes to send it.
 */
export type SendRequest = SendTarget & (SendMessage | { readonly compose: Compose });

type Compose = () => Promise<SendMessage>;

/**
 * What became of a send. `address` is the peer when one was dialled. `detail` is one of a fixed
 * set of sentences that name neither addresses nor secrets, or what is wrong with the URL.
 */
export type SendResult =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | null;
      /** At most 4 KiB of UTF-8. */
      readonly responseSample: string;
      readonly address: string | null;
      readonly ms: AttemptTimings;
    }
  | {
      readonly kind: 'failed';
      readonly errorClass: SendErrorClass;
      readonly detail: string;
      /** What was thrown, for the operator's log alone: it may name addresses. */
      readonly cause: string | null;
      readonly address: string | null;
      readonly ms: AttemptTimings;
    };

export interface HttpSender extends AsyncDisposable {
  /**
   * POSTs once. Whatever network and receiver do is a result. Rejects only with the reason of the
   * caller's signal, with what `compose` throws, with the SendFault `THROTTLED` when it got no permit
   * (`request-permits.ts`), or for a fault of ours (a header that is not valid, a disposed sender, a
   * proxy that cannot be used, no descriptors left).
   */
  send(request: SendRequest): Promise<SendResult>;
  /**
   * Rejects with `THROTTLED` what waits for a permit, and from now on what would have to: for a process that
   * stops, which would have to cut off what it begins late.
   */
  endWaits(): void;
}

export interface HttpSenderOptions {
  readonly policy: EgressPolicy;
  /** The only way out, if there is one. It gets vetted addresses to connect to, never names. */
  readonly proxy?: EgressProxy | null;
  readonly timeoutMs?: number;
  readonly userAgent?: string;
  /** Replaces the system's name servers. */
  readonly resolver?: Resolver;
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string;
}

/**
 * Makes a sender with its own kept connections. Redirects are never followed, answers never
 * decompressed, proxy settings of the environment never read. How many sends run at once is the
 * caller's to bound. Throws a TypeError when the policy holds a range that is not a CIDR.
 */
export function createHttpSender(options: HttpSenderOptions): HttpSender {
  const { policy, timeoutMs = attemptTimeoutMsDefault, userAgent = 'agent-herald' } = options;
  const guard = addressGuardOf(policy);
  const hosts = createHostResolver(guard, options.resolver ?? createNameServerResolver());
  const transport: Transport = {
    idlePool: new IdlePool({ idlePerOriginMax, idleMax }),
    opener: { guard, hosts, proxy: options.proxy ?? null, ca: options.ca },
  };
  const permits = new RequestPermits();
  const underWay = new Set<Promise<unknown>>();
  let disposed = false;

  async function sendWithPermit(request: SendRequest): Promise<SendResult> {
    const checked = checkWebhookUrl(request.url, policy);
    if (!checked.ok) {
      const refusal = { errorClass: 'blocked', detail: checked.reason, cause: null } as const;
      return failed(newAttempt(), refusal);
    }
    const url = new URL(checked.url);
    const permit = await permits.acquire(url, request);
    try {
      const message = 'compose' in request ? await request.compose() : request;
      request.signal?.throwIfAborted();
      permit.begin();
      return await sendOnce(url, message, request);
    } finally {
      permit.release();
    }
  }

  async function sendOnce(url: URL, sent: SendMessage, target: SendTarget): Promise<SendResult> {
    // The receiver's time begins here: the wait for a permit is ours.
    const attempt = newAttempt();
    const headers = requestHeaders(sent.headers, userAgent);
    const message = { path: url.pathname + url.search, headers, body: sent.body };
    const deadline = startDeadline(target.timeoutMs ?? timeoutMs, target.signal);
    try {
      const options = { signal: deadline.signal, trace: attempt.trace };
      return answered(attempt, await deliver(url, message, { transport, ...options }));
    } catch (error) {
      // Our shutdown says nothing about the receiver, so it must not become an attempt of its.
      target.signal?.throwIfAborted();
      const verdict = classifySendError(error, attempt.trace.phase);
      if (verdict === null) throw error;
      return failed(attempt, { ...verdict, cause: faultText(error) });
    } finally {
      deadline.stop();
    }
  }

  return {
    async send(request) {
      if (disposed) throw new Error('the sender is disposed');
      request.signal?.throwIfAborted();
      // One signal serves all sends under way, each with listeners that it removes at its end; Node
      // would take more than ten of them for a leak.
      if (request.signal !== undefined) setMaxListeners(0, request.signal);
      const work = sendWithPermit(request);
      underWay.add(work);
      return work.finally(() => underWay.delete(work));
    },
    endWaits: () => permits.endWaits(),
    async [Symbol.asyncDispose]() {
      disposed = true;
      transport.idlePool.close();
      // Each of these is bounded by its deadline, and tells its own caller how it ended.
      await Promise.allSettled(underWay);
    },
  };
}

interface Transport {
  readonly idlePool: IdlePool;
  readonly opener: SocketOpener;
}

interface Attempt {
  readonly trace: AttemptTrace;
  readonly startedAt: number;
}

function newAttempt(): Attempt {
  return { trace: createTrace(), startedAt: performance.now() };
}

type DeliverOptions = ExchangeOptions & { readonly transport: Transport };

/** One exchange: over a kept connection when there is one, over a new one otherwise. */
async function deliver(
  url: URL,
  message: ExchangeRequest,
  { transport, signal, trace }: DeliverOptions,
): Promise<Answer> {
  const kept = transport.idlePool.take(url.origin);
  if (kept !== null) {
    try {
      return await exchangeAndKeep(kept, message, { transport, signal, trace });
    } catch (error) {
      if (!wentStale(error, trace)) throw error;
    }
  }
  const socket = await openSocket(url, transport.opener, { signal, trace });
  const fresh = createConnection(url.origin, socket, trace.address);
  return exchangeAndKeep(fresh, message, { transport, signal, trace });
}

async function exchangeAndKeep(
  connection: Connection,
  message: ExchangeRequest,
  { transport, signal, trace }: DeliverOptions,
): Promise<Answer> {
  const answer = await exchange(connection, message, { signal, trace });
  if (answer.complete) transport.idlePool.put(connection);
  return answer;
}

/**
 * A receiver may close a kept connection at the moment we write on it (RFC 9112 §9.3.1), which is
 * no fault of either side. If no byte of an answer came, sending again at once over a new
 * connection is right: deliveries are at-least-once anyway and the receiver knows a repeat by its
 * event id.
 */
function wentStale(error: unknown, trace: AttemptTrace): boolean {
  const code = errorCode(error);
  if (typeof code !== 'string' || trace.answerBegan) return false;
  return code === 'CONNECTION_STALE' || isConnectionBroken(code);
}

function answered({ trace, startedAt }: Attempt, answer: Answer): SendResult {
  trace.ms.total = msSince(startedAt);
  return {
    kind: 'answered',
    status: answer.status,
    retryAfter: answer.retryAfter,
    responseSample: sampleText(answer.head, answer.complete),
    address: trace.address,
    ms: trace.ms,
  };
}

function failed(
  { trace, startedAt }: Attempt,
  { errorClass, detail, cause }: SendErrorVerdict & { readonly cause: string | null },
): SendResult {
  trace.ms.total = msSince(startedAt);
  const address = errorClass === 'blocked' ? null : trace.address;
  return { kind: 'failed', errorClass, detail, cause, address, ms: trace.ms };
}
