export interface Retention {
  /** Of events, deliveries and jobs. */
  recordsMs: number;
  heldMs: number;
  auditMs: number;
}
