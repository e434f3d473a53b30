// Spans around work. Names are few; attributes hold no text that anybody else wrote, but uids.
import {
  type Attributes,
  type Context,
  context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { errorCode } from '../platform/error-code.ts';
import { spanUnderWay } from './trace-context.ts';

export interface SpanFacts {
  name: string;
  kind?: SpanKind;
  attributes?: Attributes;
  links?: Link[];
  /** Milliseconds of the epoch. */
  startTime?: number;
  /** The one under way where absent. */
  parent?: Context;
}

/** Runs `work` in a span, which its fault ends as failed. */
export async function inSpan<T>(
  { parent = context.active(), ...facts }: SpanFacts,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = startSpan({ ...facts, parent });
  try {
    return await context.with(trace.setSpan(parent, span), work, undefined, span);
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** As `inSpan`, where a trace is recorded; else just runs `work`. */
export async function inSpanOfTrace<T>(facts: SpanFacts, work: () => Promise<T>): Promise<T> {
  return spanUnderWay() === null ? work() : inSpan(facts, work);
}

export function startSpan({ name, parent = context.active(), ...facts }: SpanFacts): Span {
  // Asked for anew: a tracer that is kept stays with the provider of its first moment.
  return trace.getTracer('agent-herald').startSpan(name, facts, parent);
}

/** Marks a span as failed, by the code or class of the error: its message may hold anything. */
export function failSpan(span: Span, error: unknown): void {
  const name = error instanceof Error ? error.name : 'unknown';
  span.setAttribute('error.type', String(errorCode(error) ?? name));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/**
 * Runs what several callers share: for one alone in its trace, else in a trace of its own, linked with theirs where
 * those are recorded.
 */
export function inSharedSpan<T>(
  name: string,
  callers: readonly Context[],
  work: () => Promise<T>,
): Promise<T> {
  const [only] = callers;
  if (only !== undefined && callers.length === 1) return context.with(only, work);
  const spans = callers.map(spanUnderWay).filter((span) => span !== null);
  if (spans.length === 0) return context.with(ROOT_CONTEXT, work);
  const links = spans.map((span) => ({ context: span.spanContext() }));
  return inSpan({ name, links, parent: ROOT_CONTEXT }, (shared) => {
    for (const span of spans) span.addLink({ context: shared.spanContext() });
    return work();
  });
}
