// An application: the parent of everything else.

export interface AppDocument {
  _id: string;
  name: string;
  /** Kept here so that the limit of webhooks an app holds under any number of callers at once. */
  webhookCount: number;
  /** How often the tokens of all its users were revoked; absent before the first time. */
  tokenEpoch?: number;
  /** Since when it is disabled; null, or absent before the first time, while it is active. */
  disabledAt?: Date | null;
  /** Written by transactions that must not run side by side (`goAlone`); it means nothing else. */
  turn?: number;
  createdAt: Date;
}
