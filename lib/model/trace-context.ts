/** The W3C Trace Context headers of a recorded trace. */
export interface TraceContext {
  traceparent: string;
  tracestate?: string;
}
