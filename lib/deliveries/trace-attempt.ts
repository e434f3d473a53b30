// The span of an attempt, the parent of the receiver's own spans.
import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { AttemptPhase } from '../egress/attempt-trace.ts';
import type { SendResult } from '../egress/sender.ts';
import { type AttemptTrigger, isRequeue } from '../model/attempt.ts';
import type { DeliveryKey } from '../model/delivery.ts';
import type { EventToAttempt } from '../model/event.ts';
import type { TraceContext } from '../model/trace-context.ts';
import { isMailUrl } from '../model/url-origin.ts';
import { chooseParent, spanOptions } from '../telemetry/span-parent.ts';
import { failSpan, startSpan } from '../telemetry/spans.ts';
import { recordingSpan, spanContextOf, toTraceContext } from '../telemetry/trace-context.ts';
import type { Verdict } from './classify-response.ts';

interface AttemptToTrace {
  key: DeliveryKey;
  event: EventToAttempt;
  url: string;
  n: number;
  trigger: AttemptTrigger;
  at: Date;
}

const phaseNames: Readonly<Record<AttemptPhase['name'], string>> = {
  dns: 'dns lookup',
  connect: 'connect',
  tls: 'tls handshake',
  firstByte: 'first byte',
};

/** Starts the span of an attempt; returns null if its change is not in a recorded trace. */
export function traceAttempt(attempt: AttemptToTrace): TracedAttempt | null {
  const { event, trigger, at } = attempt;
  const change = spanContextOf(event.trace);
  if (change === null) return null;
  const parent = chooseParent({
    change,
    ageMs: at.getTime() - event.createdAt.getTime(),
    isResent: isRequeue(trigger),
    active: recordingSpan()?.spanContext() ?? null,
  });
  const startTime = Date.now();
  const span = startSpan({
    name: 'attempt delivery',
    kind: SpanKind.CLIENT,
    attributes: attributesOf(attempt),
    startTime,
    ...spanOptions(parent),
  });
  return new TracedAttempt(span, startTime - performance.now());
}

// The path and query of the URL are left out: they often hold a secret.
function attributesOf({ key, event, url, n, trigger }: AttemptToTrace) {
  const { hostname, port, protocol } = new URL(url);
  const target = isMailUrl(url)
    ? { 'url.scheme': 'mailto' }
    : {
        'http.request.method': 'POST',
        'url.scheme': protocol.slice(0, -1),
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      };
  return {
    ...target,
    ...(n > 1 ? { 'http.request.resend_count': n - 1 } : {}),
    'herald.app.uid': key.appUid,
    'herald.event.id': key.eventId,
    'herald.event.name': event.event,
    'herald.webhook.uid': key.webhookUid,
    'herald.attempt.number': n,
    'herald.attempt.trigger': trigger,
  };
}

export class TracedAttempt {
  readonly #span: Span;
  // One offset for all times of an attempt, so that no phase starts before it or ends after it.
  readonly #aheadMs: number;
  #endedAt: number | undefined;

  /** `aheadMs` is the epoch time minus `performance.now()`. */
  constructor(span: Span, aheadMs: number) {
    this.#span = span;
    this.#aheadMs = aheadMs;
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  get headers(): TraceContext | null {
    return toTraceContext(this.#span.spanContext());
  }

  /** Adds the result of the request and fixes the end time. Later work of the service is still part of the trace. */
  addResult(
    result: SendResult,
    { state, errorClass }: Pick<Verdict, 'state' | 'errorClass'>,
  ): void {
    this.#endedAt = this.#now();
    if (result.kind === 'responded') {
      this.#span.setAttribute('http.response.status_code', result.status);
    }
    if (result.address !== null) this.#span.setAttribute('network.peer.address', result.address);
    this.#span.setAttribute('herald.delivery.state', state);
    if (errorClass !== null) {
      const type = result.kind === 'responded' ? String(result.status) : errorClass;
      this.#span.setAttribute('error.type', type);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    for (const phase of result.phases) this.#addPhase(phase);
  }

  /** Runs `work` in the span, then ends it. */
  async finish<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await context.with(trace.setSpan(context.active(), this.#span), work);
    } finally {
      this.#span.end(this.#endedAt);
    }
  }

  /** Ends the span with a fault of our own; the attempt is repeated. */
  fail(error: unknown): void {
    failSpan(this.#span, error);
    this.#span.end(this.#now());
  }

  #now(): number {
    return performance.now() + this.#aheadMs;
  }

  #addPhase({ name, startedAt, endedAt, failed }: AttemptPhase): void {
    const parent = trace.setSpan(context.active(), this.#span);
    const startTime = startedAt + this.#aheadMs;
    const span = startSpan({ name: phaseNames[name], startTime, parent });
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedAt + this.#aheadMs);
  }
}
