export interface AdminSessionDocument {
  _id: string;
  adminUid: string;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
}
