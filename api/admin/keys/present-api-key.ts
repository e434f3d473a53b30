import type { ApiKeyDocument } from '../../../lib/model/api-key.ts';

/** Returns the public fields of an API key: never its secret. */
export function presentApiKey(key: ApiKeyDocument, now: Date) {
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

function stateOf(key: ApiKeyDocument, now: Date): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== null) return 'revoked';
  return key.expiresAt !== null && key.expiresAt <= now ? 'expired' : 'active';
}
