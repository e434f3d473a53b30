export interface AdminSessionDocument {
  _id: string;
  /** The keyed hash of the cookie's value. */
  tokenHash: string;
  adminUid: string;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
  /** From where it was opened. */
  address: string | null;
  userAgent: string | null;
}
