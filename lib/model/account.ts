export interface AccountDocument {
  _id: string;
  appUid: string;
  name: string;
  createdAt: Date;
  updatedAt: Date;
  /** Incremented by each transaction that refers to the account; absent before the first. */
  turn?: number;
}
