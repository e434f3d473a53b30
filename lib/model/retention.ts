// How long things are kept.

/** How long things are kept, in milliseconds. */
export interface Retention {
  /** Events, deliveries with their attempts, resends, replays and erasures. */
  recordsMs: number;
  /** What a paused webhook holds; after that it is dropped. */
  heldMs: number;
  /** Rows of the audit log. */
  auditMs: number;
}
