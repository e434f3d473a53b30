// A session of an admin.

export interface AdminSessionDocument {
  /** The keyed hash of the cookie's secret. */
  _id: string;
  adminUid: string;
  createdAt: Date;
  lastUsedAt: Date;
  /** When it ends, used or not; MongoDB removes it then. */
  expiresAt: Date;
}
