export interface AppDocument {
  _id: string;
  name: string;
  /** Stored here so that concurrent callers cannot exceed the limit of webhooks. */
  webhookCount: number;
  tokenEpoch: number;
  /** Whether receivers must answer a challenge before their webhooks become active. */
  webhookChallenge: boolean;
  disabledAt: Date | null;
  /** The origins of pages that may use its tokens; null: any. */
  origins: string[] | null;
  /** Incremented by transactions that must not run concurrently (`lockApp`); absent before the first. */
  turn?: number;
  createdAt: Date;
}
