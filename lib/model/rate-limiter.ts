/** The next free slot of a webhook with a rate, or of a tenant at it (ADR 40). Without a document it is now. */
export interface RateLimiterDocument {
  /** See `rateOf`. */
  _id: string;
  nextSlotMs: number;
  /** The webhook's `updatedAt`: after a change the slots start over. */
  webhookUpdatedAt: Date;
  expiresAt: Date;
}
