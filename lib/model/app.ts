export interface AppDocument {
  _id: string;
  name: string;
  /** Kept here so that the limit of webhooks holds for concurrent callers. */
  webhookCount: number;
  tokenEpoch?: number;
  disabledAt?: Date | null;
  /** Written by transactions that must not run concurrently (`lockApp`). */
  turn?: number;
  createdAt: Date;
}
