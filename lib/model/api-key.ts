// An API key as it is stored: never the key, only its hash.

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
  /** To about a minute; absent for a key that was never used. */
  lastUsedAt?: Date;
  /** The key that took over when this one was rolled. */
  rolledTo?: string;
}

/** What the owner of a new key decides. */
export type ApiKeyWish = Pick<ApiKeyDocument, 'appUid' | 'name' | 'scopes' | 'expiresAt'>;
