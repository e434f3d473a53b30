// An API key as the admin area sees it: never its secret, only the part that tells keys apart.
import type { ApiKeyDocument } from '../../../lib/model/api-key.ts';

export interface PresentedApiKey {
  uid: string;
  /** The public part of the key's text, `ahk_{keyId}_…`. */
  keyId: string;
  name: string;
  scopes: string[];
  state: 'active' | 'expired' | 'revoked';
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  /** To about a minute. */
  lastUsedAt: string | null;
  /** The key that took over when this one was rolled. */
  rolledTo: string | null;
}

/** Gives a key's public fields. */
export function presentApiKey(key: ApiKeyDocument, now: Date): PresentedApiKey {
  return {
    uid: key._id,
    keyId: key.keyId,
    name: key.name,
    scopes: key.scopes,
    state: stateOf(key, now),
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    rolledTo: key.rolledTo ?? null,
  };
}

function stateOf(key: ApiKeyDocument, now: Date): PresentedApiKey['state'] {
  if (key.revokedAt !== null) return 'revoked';
  return key.expiresAt !== null && key.expiresAt <= now ? 'expired' : 'active';
}
