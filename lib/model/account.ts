export interface AccountDocument {
  _id: string;
  appUid: string;
  name: string;
  createdAt: Date;
  /** Absent from accounts of earlier versions until they are changed. */
  updatedAt: Date;
}
