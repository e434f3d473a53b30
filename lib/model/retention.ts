export interface Retention {
  /** For events, deliveries and jobs. */
  recordsMs: number;
  heldMs: number;
  auditMs: number;
}
