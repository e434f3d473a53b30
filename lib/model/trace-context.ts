/** Where a trace goes on, as the headers of W3C Trace Context; only of traces that are recorded. */
export interface TraceContext {
  traceparent: string;
  tracestate?: string;
}
