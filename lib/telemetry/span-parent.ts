// Chooses the trace and the parent of a span.
import { ROOT_CONTEXT, type Link, type SpanContext, trace, type Context } from '@opentelemetry/api';
import { traceLimits } from '../limits.ts';

interface SpanOrigin {
  /** The recorded trace context of the change. */
  change: SpanContext;
  /** The age of the change. */
  ageMs: number;
  /** Whether it is sent again on request. */
  isResent: boolean;
  /** The active span in this process, such as that of an activity. */
  active: SpanContext | null;
}

export interface SpanParent {
  /** Null: the span starts a new trace. */
  parent: SpanContext | null;
  linked: SpanContext[];
}

/**
 * Work soon after a change joins its trace, below the active span if that is in the same trace. Work that is late or
 * requested goes into another trace, with a link: a trace that lasts for days cannot be read.
 */
export function chooseParent({ change, ageMs, isResent, active }: SpanOrigin): SpanParent {
  if (isResent || ageMs > traceLimits.sameTraceMsMax) return { parent: active, linked: [change] };
  if (active === null) return { parent: change, linked: [] };
  // Keeps the caller's trace state, which the change stores.
  if (active.traceId === change.traceId) {
    return { parent: { ...change, spanId: active.spanId }, linked: [] };
  }
  return { parent: change, linked: [active] };
}

/** Returns the options of the SDK for a span. */
export function spanOptions({ parent, linked }: SpanParent): { links: Link[]; parent: Context } {
  return {
    links: linked.map((each) => ({ context: each })),
    parent: parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent),
  };
}
