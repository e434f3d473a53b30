/** The W3C Trace Context headers of a recorded trace. */
export interface TraceContext {
  traceparent: string;
  /** Absent if the caller sent none. */
  tracestate?: string;
}
