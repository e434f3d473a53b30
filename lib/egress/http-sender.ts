import { setMaxListeners } from 'node:events';
import { attemptLimits, egressLimits, limits } from '../limits.ts';
import { addressGuardOf } from './address-guard.ts';
import { startDeadline } from './attempt-deadline.ts';
import { type AttemptTrace, createTrace } from './attempt-trace.ts';
import {
  classifySendError,
  clientCertificateRefused,
  type SendErrorVerdict,
} from './classify-send-error.ts';
import { IdlePool } from './connection.ts';
import type { EgressPolicy } from './egress-policy.ts';
import type { EgressProxy } from './egress-proxy.ts';
import { post, type Transport } from './post.ts';
import { createNameServerResolver } from './name-servers.ts';
import { requestHeaders } from './request-headers.ts';
import { createHostResolver, type Resolver } from './resolve-host.ts';
import { type Requester, RequestPermits } from './request-permits.ts';
import { faultText } from './send-fault.ts';
import { failed, refused, responded } from './send-result.ts';
import type { Sender, SendMessage, SendRequest, SendResult, SendTarget } from './sender.ts';
import { checkStoredUrl } from './webhook-url.ts';

const { permitsPerOriginMax: idlePerOriginMax } = attemptLimits;
const permitLimits = {
  perWebhookMax: attemptLimits.permitsPerWebhookMax,
  perOriginMax: attemptLimits.permitsPerOriginMax,
  inAllMax: attemptLimits.permitsInAllMax,
};
// Bounds the memory and descriptors that thousands of origins can use.
const { idleConnectionsMax: idleMax } = egressLimits;

export interface HttpSenderOptions {
  readonly policy: EgressPolicy;
  /** The proxy connects to vetted addresses, never to names. */
  readonly proxy?: EgressProxy | null;
  readonly timeoutMs?: number;
  readonly resolver?: Resolver;
  /** PEM, instead of the system's CAs. */
  readonly ca?: string;
}

/** Follows no redirects and uses no proxy from the environment. Throws a TypeError for an invalid range. */
export function createHttpSender(options: HttpSenderOptions): Sender {
  const { policy, timeoutMs = limits.attemptTimeoutMs } = options;
  const guard = addressGuardOf(policy);
  const hosts = createHostResolver(guard, options.resolver ?? createNameServerResolver());
  const idlePool = new IdlePool({ idlePerOriginMax, idleMax });
  const opener = { idlePool, guard, hosts, proxy: options.proxy ?? null, ca: options.ca };
  const permits = new RequestPermits(permitLimits);
  const stopObserving = permits.observe();
  const inFlight = new Set<Promise<unknown>>();
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
    // The receiver's time starts here: the wait for a permit is ours.
    const trace = createTrace();
    const headers = requestHeaders(sent.headers);
    const message = { path: url.pathname + url.search, headers, body: sent.body };
    const { clientCertificate = null, secretTexts = [] } = sent;
    const transport: Transport = { ...opener, clientCertificate };
    const deadline = startDeadline(target.timeoutMs ?? timeoutMs, target);
    try {
      const scope = { signal: deadline.signal, trace, beforeRequest: deadline.check };
      return responded(trace, await post(url, message, { transport, ...scope }), secretTexts);
    } catch (error) {
      // Our shutdown says nothing about the receiver, so it must not count as an attempt.
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
      // All sends in flight listen to one signal; Node would report more than ten listeners as a leak.
      if (request.signal !== undefined) setMaxListeners(0, request.signal);
      const work = sendWithPermit(request);
      inFlight.add(work);
      return work.finally(() => inFlight.delete(work));
    },
    endWaits: () => permits.endWaits(),
    async [Symbol.asyncDispose]() {
      disposed = true;
      idlePool.close();
      // Each is bounded by its deadline and reports to its own caller.
      await Promise.allSettled(inFlight);
      stopObserving();
    },
  };
}

function requesterOf({ url, appUid = url, webhookUid = url, signal }: SendTarget): Requester {
  return { appUid, webhookUid, signal };
}

// Some servers, such as Node's, reject a client certificate by closing the new connection without an alert.
function classify(
  error: unknown,
  trace: AttemptTrace,
  hasClientCertificate: boolean,
): SendErrorVerdict | null {
  const verdict = classifySendError(error, trace.phase);
  const isNew = trace.phase === 'tls' || trace.ms.tls !== undefined;
  const isClosed = verdict?.errorClass === 'reset' && isNew && !trace.responseBegan;
  return hasClientCertificate && isClosed ? clientCertificateRefused : verdict;
}
