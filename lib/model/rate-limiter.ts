/** The next free slot of a webhook with a `ratePerSecond` (ADR 40). Without a document: now. */
export interface RateLimiterDocument {
  _id: string;
  nextSlotMs: number;
  /** The webhook's `updatedAt`: after a change its slots begin anew. */
  webhookUpdatedAt: Date;
  expiresAt: Date;
}
