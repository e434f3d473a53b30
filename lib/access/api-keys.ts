import { hashApiKey, newApiKey } from './api-key.ts';
import { newId } from '../platform/ids.ts';
import type { ApiKeyDocument, ApiKeyWish } from '../model/api-key.ts';

/** Makes a key, which the caller stores without `text`. */
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

export function isKeyAlive(key: ApiKeyDocument, now: Date): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}
