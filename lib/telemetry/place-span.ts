// Where in which trace a span belongs.
import { ROOT_CONTEXT, type Link, type SpanContext, trace, type Context } from '@opentelemetry/api';
import { traceLimits } from '../limits.ts';

interface SpanToPlace {
  /** Where the trace of the change goes on. */
  change: SpanContext;
  /** How long ago the change was. */
  ageMs: number;
  /** Sent again on request. */
  isAgain: boolean;
  /** The span under way in this process, such as an activity's. */
  active: SpanContext | null;
}

export interface SpanPlace {
  /** Null: the span begins a trace. */
  parent: SpanContext | null;
  linked: SpanContext[];
}

/**
 * What follows a change soon is in its trace, below the span under way if that is, too. What comes later, or is asked
 * for, is in another trace, and linked: a trace that lasts for days cannot be read.
 */
export function placeSpan({ change, ageMs, isAgain, active }: SpanToPlace): SpanPlace {
  if (isAgain || ageMs > traceLimits.sameTraceMsMax) return { parent: active, linked: [change] };
  if (active === null) return { parent: change, linked: [] };
  // What the caller sent along goes on with the change.
  if (active.traceId === change.traceId) {
    return { parent: { ...change, spanId: active.spanId }, linked: [] };
  }
  return { parent: change, linked: [active] };
}

/** Returns a place as the SDK wants it. */
export function optionsOf({ parent, linked }: SpanPlace): { links: Link[]; parent: Context } {
  return {
    links: linked.map((each) => ({ context: each })),
    parent: parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent),
  };
}
