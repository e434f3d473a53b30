export const scopes = [
  'users:auth',
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'events:write',
  'resources:read',
  'resources:write',
  'admin',
] as const;
export type Scope = (typeof scopes)[number];

export interface ApiKeyDocument {
  _id: string;
  appUid: string;
  keyId: string;
  secretHash: string;
  name: string;
  scopes: Scope[];
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** When the tokens of its sign-ins were revoked with it. */
  tokensRevokedAt: Date | null;
  /** Accurate to about a minute. */
  lastUsedAt: Date | null;
  rolledTo: string | null;
  /** When `apikey.expiring` was recorded. */
  expiryReportedAt: Date | null;
}

export type ApiKeyInput = Pick<ApiKeyDocument, 'appUid' | 'name' | 'scopes' | 'expiresAt'>;
