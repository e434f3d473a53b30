export interface AdminSessionDocument {
  _id: string;
  /** The keyed hash of the cookie's value. */
  tokenHash: string;
  adminUid: string;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
  /** The address that opened the session. */
  address: string | null;
  userAgent: string | null;
}
