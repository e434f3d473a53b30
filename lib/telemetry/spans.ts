// Spans around work. There are few span names, and attributes contain no text written by others except uids.
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
import { recordingSpan } from './trace-context.ts';

export interface SpanFacts {
  name: string;
  kind?: SpanKind;
  attributes?: Attributes;
  links?: Link[];
  /** In milliseconds since the epoch. */
  startTime?: number;
  /** Defaults to the active context. */
  parent?: Context;
}

/** Runs `work` in a span, and marks the span as failed if it throws. */
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

/** Like `inSpan` if a trace is recorded; otherwise only runs `work`. */
export async function inSpanOfTrace<T>(facts: SpanFacts, work: () => Promise<T>): Promise<T> {
  return recordingSpan() === null ? work() : inSpan(facts, work);
}

export function startSpan({ name, parent = context.active(), ...facts }: SpanFacts): Span {
  // Fetched each time: a cached tracer stays with the provider that was active when it was created.
  return trace.getTracer('agent-herald').startSpan(name, facts, parent);
}

/** Marks a span as failed, with the code or class of the error: its message may contain anything. */
export function failSpan(span: Span, error: unknown): void {
  const name = error instanceof Error ? error.name : 'unknown';
  span.setAttribute('error.type', String(errorCode(error) ?? name));
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/**
 * Runs work shared by several callers: in the trace of a single caller, otherwise in its own trace, linked with their
 * recorded traces.
 */
export function inSharedSpan<T>(
  name: string,
  callers: readonly Context[],
  work: () => Promise<T>,
): Promise<T> {
  const [only] = callers;
  if (only !== undefined && callers.length === 1) return context.with(only, work);
  const spans = callers.map(recordingSpan).filter((span) => span !== null);
  if (spans.length === 0) return context.with(ROOT_CONTEXT, work);
  const links = spans.map((span) => ({ context: span.spanContext() }));
  return inSpan({ name, links, parent: ROOT_CONTEXT }, (shared) => {
    for (const span of spans) span.addLink({ context: shared.spanContext() });
    return work();
  });
}
