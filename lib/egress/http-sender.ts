import { setMaxListeners } from 'node:events';
import { attemptLimits, egressLimits, limits } from '../limits.ts';
import { errorCode } from '../platform/error-code.ts';
import type { AttemptTimings } from '../model/attempt.ts';
import { addressGuardOf } from './address-guard.ts';
import { startDeadline } from './attempt-deadline.ts';
import {
  type AttemptPhase,
  type AttemptTrace,
  createTrace,
  endPhase,
  msSince,
} from './attempt-trace.ts';
import {
  classifySendError,
  clientCertificateRefused,
  isConnectionBroken,
  type SendErrorVerdict,
} from './classify-send-error.ts';
import type { ClientCertificate } from './client-certificate.ts';
import { type AnswerDescription, describeAnswer } from './describe-answer.ts';
import { type Connection, createConnection, IdlePool } from './connection.ts';
import type { EgressPolicy } from './egress-policy.ts';
import type { EgressProxy } from './egress-proxy.ts';
import { type Answer, exchange, type ExchangeRequest, type ExchangeScope } from './exchange.ts';
import { openSocket, type SocketOpener } from './open-socket.ts';
import { createNameServerResolver } from './name-servers.ts';
import { requestHeaders } from './request-headers.ts';
import { createHostResolver, type Resolver } from './resolve-host.ts';
import { type Requester, RequestPermits } from './request-permits.ts';
import { faultText } from './send-fault.ts';
import { checkStoredUrl } from './webhook-url.ts';

const { permitsPerOriginMax: idlePerOriginMax } = attemptLimits;
const permitLimits = {
  perWebhookMax: attemptLimits.permitsPerWebhookMax,
  perOriginMax: attemptLimits.permitsPerOriginMax,
  inAllMax: attemptLimits.permitsInAllMax,
};
// Bounds the memory and descriptors that thousands of origins can hold.
const { idleConnectionsMax: idleMax } = egressLimits;

export type SendMessage = Omit<ExchangeRequest, 'path'> & {
  readonly clientCertificate?: ClientCertificate | null;
  /** Taken out of the sample of the answer. */
  readonly secretTexts?: readonly string[];
};

interface SendTarget {
  readonly url: string;
  /** Whose share and whose turn a request takes. Without them the url counts. */
  readonly appUid?: string;
  readonly webhookUid?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Called with an open connection, right before the request is written: what it throws ends the send. */
  readonly beforeRequest?: (() => void) | undefined;
}

/** `compose` is called once there are permits, to sign the time of sending and hold no body before. */
export type SendRequest = SendTarget &
  (SendMessage | { readonly compose: () => Promise<SendMessage> });

export type SendResult = SendFacts &
  (
    | (AnswerDescription & { readonly kind: 'answered'; readonly status: number })
    | (SendErrorVerdict & {
        readonly kind: 'failed';
        /** For the operator's log alone: it may name addresses. */
        readonly cause: string | null;
      })
  );

interface SendFacts {
  readonly address: string | null;
  readonly ms: AttemptTimings;
  readonly phases: readonly AttemptPhase[];
}

export interface Sender extends AsyncDisposable {
  /**
   * POSTs once; faults of network and receiver are results. Rejects with the signal's reason, what
   * `compose` throws, the SendFault `THROTTLED`, or a fault of ours (a bad header, a dead proxy…).
   */
  send(request: SendRequest): Promise<SendResult>;
  /** Rejects with `THROTTLED` what waits for a permit, now and later: for a process that stops. */
  endWaits(): void;
}

export interface HttpSenderOptions {
  readonly policy: EgressPolicy;
  /** Connects to vetted addresses, never to names. */
  readonly proxy?: EgressProxy | null;
  readonly timeoutMs?: number;
  readonly resolver?: Resolver;
  /** PEM, instead of the system's. */
  readonly ca?: string;
}

/** Follows no redirects, reads no proxy from the environment. Throws a TypeError for a bad range. */
export function createHttpSender(options: HttpSenderOptions): Sender {
  const { policy, timeoutMs = limits.attemptTimeoutMs } = options;
  const guard = addressGuardOf(policy);
  const hosts = createHostResolver(guard, options.resolver ?? createNameServerResolver());
  const idlePool = new IdlePool({ idlePerOriginMax, idleMax });
  const opener = { idlePool, guard, hosts, proxy: options.proxy ?? null, ca: options.ca };
  const permits = new RequestPermits(permitLimits);
  const stopObserving = permits.observe();
  const underWay = new Set<Promise<unknown>>();
  let disposed = false;

  async function sendWithPermit(request: SendRequest): Promise<SendResult> {
    const checked = checkStoredUrl(request.url, policy);
    if (!checked.ok) return refused(checked.reason);
    const url = new URL(checked.url);
    const permit = await permits.acquire(url, requesterOf(request));
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
    const trace = createTrace();
    const headers = requestHeaders(sent.headers);
    const message = { path: url.pathname + url.search, headers, body: sent.body };
    const { clientCertificate = null, secretTexts = [] } = sent;
    const transport: Transport = { ...opener, clientCertificate };
    const deadline = startDeadline(target.timeoutMs ?? timeoutMs, target);
    try {
      const scope = { signal: deadline.signal, trace, beforeRequest: deadline.check };
      return answered(trace, await deliver(url, message, { transport, ...scope }), secretTexts);
    } catch (error) {
      // Our shutdown says nothing about the receiver: it must not count as an attempt.
      deadline.throwIfEnded();
      const verdict = classify(error, trace, clientCertificate !== null);
      if (verdict === null) throw error;
      return failed(trace, { ...verdict, cause: faultText(error) });
    } finally {
      deadline.stop();
    }
  }

  return {
    async send(request) {
      if (disposed) throw new Error('the sender is disposed');
      request.signal?.throwIfAborted();
      // All sends under way listen to one signal; Node would report more than ten as a leak.
      if (request.signal !== undefined) setMaxListeners(0, request.signal);
      const work = sendWithPermit(request);
      underWay.add(work);
      return work.finally(() => underWay.delete(work));
    },
    endWaits: () => permits.endWaits(),
    async [Symbol.asyncDispose]() {
      disposed = true;
      idlePool.close();
      // Each is bounded by its deadline and reports to its own caller.
      await Promise.allSettled(underWay);
      stopObserving();
    },
  };
}

function requesterOf({ url, appUid = url, webhookUid = url, signal }: SendTarget): Requester {
  return { appUid, webhookUid, signal };
}

interface Transport extends SocketOpener {
  readonly idlePool: IdlePool;
}

async function deliver(
  url: URL,
  message: ExchangeRequest,
  { transport, signal, trace, beforeRequest }: ExchangeScope & { readonly transport: Transport },
): Promise<Answer> {
  const exchangeOver = async (connection: Connection): Promise<Answer> => {
    const answer = await exchange(connection, message, { signal, trace, beforeRequest });
    if (answer.complete) transport.idlePool.put(connection);
    return answer;
  };
  const owner = transport.clientCertificate?.owner ?? null;
  const connectionTarget = { origin: url.origin, owner };
  const kept = transport.idlePool.take(connectionTarget);
  if (kept !== null) {
    try {
      return await exchangeOver(kept);
    } catch (error) {
      if (!wentStale(error, trace)) throw error;
    }
  }
  const socket = await openSocket(url, transport, { signal, trace });
  return exchangeOver(createConnection(connectionTarget, socket, trace.address));
}

// A receiver may close a kept connection as we write (RFC 9112 §9.3.1): we send again, with the same event id.
function wentStale(error: unknown, trace: AttemptTrace): boolean {
  const code = errorCode(error);
  if (typeof code !== 'string' || trace.answerBegan) return false;
  return code === 'CONNECTION_STALE' || isConnectionBroken(code);
}

// Some servers, such as Node's, refuse a client certificate by closing the new connection without an alert.
function classify(
  error: unknown,
  trace: AttemptTrace,
  hasClientCertificate: boolean,
): SendErrorVerdict | null {
  const verdict = classifySendError(error, trace.phase);
  const isNew = trace.phase === 'tls' || trace.ms.tls !== undefined;
  const isClosed = verdict?.errorClass === 'reset' && isNew && !trace.answerBegan;
  return hasClientCertificate && isClosed ? clientCertificateRefused : verdict;
}

function answered(trace: AttemptTrace, answer: Answer, secretTexts: readonly string[]): SendResult {
  trace.ms.total = msSince(trace.startedAt);
  return {
    kind: 'answered',
    status: answer.status,
    ...describeAnswer(answer, secretTexts),
    address: trace.address,
    ms: trace.ms,
    phases: trace.phases,
  };
}

function refused(detail: string): SendResult {
  return failed(createTrace(), { errorClass: 'blocked', detail, isFinal: true, cause: null });
}

function failed(
  trace: AttemptTrace,
  verdict: SendErrorVerdict & { readonly cause: string | null },
): SendResult {
  endPhase(trace, { failed: true });
  trace.ms.total = msSince(trace.startedAt);
  const address = verdict.errorClass === 'blocked' ? null : trace.address;
  const { ms, phases } = trace;
  return { kind: 'failed', ...verdict, address, ms, phases };
}
