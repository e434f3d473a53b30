// Applications and their accounts: the parents of everything else.

export interface AppDocument {
  _id: string;
  name: string;
  /** Kept here so that the limit of webhooks an app holds under any number of callers at once. */
  webhookCount: number;
  /** How often the tokens of all its users were revoked; absent before the first time. */
  tokenEpoch?: number;
  createdAt: Date;
}

export interface AccountDocument {
  _id: string;
  appUid: string;
  name: string;
  createdAt: Date;
  /** Absent until the account is changed. */
  updatedAt?: Date;
}
