export interface AccountDocument {
  _id: string;
  appUid: string;
  name: string;
  createdAt: Date;
  /** Absent from accounts of earlier versions until they are changed. */
  updatedAt: Date;
  /** Changes with each transaction that names it; absent before the first. */
  turn?: number;
}
