// API keys as they are stored: never the key, only its hash.
import { hashApiKey, newApiKey } from '../crypto/api-key.ts';
import { newId } from '../ids.ts';

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

/** Makes a key, to be stored by the caller, and its text, which exists here and nowhere else. */
export function makeApiKey(
  wish: ApiKeyWish,
  { keyPepper, now }: { keyPepper: string; now: Date },
): { key: ApiKeyDocument; text: string } {
  const { keyId, text } = newApiKey();
  const key: ApiKeyDocument = {
    _id: newId('key', now),
    appUid: wish.appUid,
    keyId,
    secretHash: hashApiKey(text, keyPepper),
    name: wish.name,
    scopes: wish.scopes,
    createdAt: now,
    expiresAt: wish.expiresAt,
    revokedAt: null,
  };
  return { key, text };
}

/** Tells whether a key is taken at a time: neither revoked nor expired. */
export function isKeyAlive(key: ApiKeyDocument, now: Date): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}
