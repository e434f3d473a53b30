/** The W3C Trace Context headers of a recorded trace; `tracestate` is absent if it is empty. */
export interface TraceContext {
  traceparent: string;
  tracestate?: string;
}
