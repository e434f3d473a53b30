// Places in traces, as they are stored and sent (W3C Trace Context).
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

/** Returns where the trace under way goes on; null where none is recorded. */
export function currentTrace(): TraceContext | null {
  const span = trace.getActiveSpan();
  return span === undefined ? null : traceOf(span.spanContext());
}

/** Returns a place as it is stored and sent; null of a trace that is not recorded. */
export function traceOf(place: SpanContext): TraceContext | null {
  if ((place.traceFlags & TraceFlags.SAMPLED) === 0) return null;
  const headers: { traceparent?: string; tracestate?: string } = {};
  propagation.inject(trace.setSpanContext(ROOT_CONTEXT, place), headers);
  const { traceparent, tracestate = '' } = headers;
  if (traceparent === undefined) return null;
  return { traceparent, ...(tracestate === '' ? {} : { tracestate }) };
}

/** Returns the place that was stored; null where this process makes no traces. */
export function placeOf(stored: TraceContext | null | undefined): SpanContext | null {
  if (stored === null || stored === undefined) return null;
  return trace.getSpanContext(propagation.extract(ROOT_CONTEXT, stored)) ?? null;
}

/**
 * Returns the context of a caller's headers. Its trace is taken up, but whether it is recorded is our own choice: a
 * caller's flag could record everything.
 */
export function contextOfCaller(headers: Readonly<Record<string, unknown>>): Context {
  const { traceparent, tracestate } = headers;
  const extracted = propagation.extract(ROOT_CONTEXT, { traceparent, tracestate });
  const place = trace.getSpanContext(extracted);
  if (place === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { ...place, traceFlags: TraceFlags.NONE });
}

/** Returns the span under way; null where none is recorded, or what began here outlives it. */
export function spanUnderWay(within: Context = context.active()): Span | null {
  const span = trace.getSpan(within);
  return span?.isRecording() === true ? span : null;
}
