// Converts between span contexts and W3C Trace Context headers.
import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import type { TraceContext } from '../model/trace-context.ts';

/** Returns the trace context of the active span; null if no trace is recorded. */
export function currentTrace(): TraceContext | null {
  const span = trace.getActiveSpan();
  return span === undefined ? null : toTraceContext(span.spanContext());
}

/** Returns a span context as headers; null if its trace is not recorded. */
export function toTraceContext(spanContext: SpanContext): TraceContext | null {
  if ((spanContext.traceFlags & TraceFlags.SAMPLED) === 0) return null;
  const headers: { traceparent?: string; tracestate?: string } = {};
  propagation.inject(trace.setSpanContext(ROOT_CONTEXT, spanContext), headers);
  const { traceparent, tracestate = '' } = headers;
  if (traceparent === undefined) return null;
  return { traceparent, ...(tracestate === '' ? {} : { tracestate }) };
}

/** Returns the span context of stored headers; null if this process does not trace. */
export function spanContextOf(stored: TraceContext | null | undefined): SpanContext | null {
  if (stored === null || stored === undefined) return null;
  return trace.getSpanContext(propagation.extract(ROOT_CONTEXT, stored)) ?? null;
}

/**
 * Returns the context of a caller's headers. It continues the caller's trace but ignores the sampling flag, with which
 * a caller could record everything.
 */
export function contextOfCaller(headers: Readonly<Record<string, unknown>>): Context {
  const { traceparent, tracestate } = headers;
  const extracted = propagation.extract(ROOT_CONTEXT, { traceparent, tracestate });
  const spanContext = trace.getSpanContext(extracted);
  if (spanContext === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { ...spanContext, traceFlags: TraceFlags.NONE });
}

/** Returns the active span; null if none is recording, for example because it has ended. */
export function recordingSpan(within: Context = context.active()): Span | null {
  const span = trace.getSpan(within);
  return span?.isRecording() === true ? span : null;
}
