export interface RateCountDocument {
  /** Limit, subject and window: `key|key_…|29407680`. */
  _id: string;
  count: number;
  expiresAt: Date;
}
