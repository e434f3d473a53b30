// Reads API keys, many callers at once in one read. Nothing is cached: a revoked key ends at once.
import { coalesce } from '../../lib/coalesce.ts';
import type { ApiKeyDocument } from '../../lib/store/api-keys.ts';
import type { Store } from '../../lib/store/connect.ts';

/** Gives the key with a key id, or null. */
export type ApiKeyReader = (keyId: string) => Promise<ApiKeyDocument | null>;

/** Makes the reader of a process. */
export function createApiKeyReader(store: Store): ApiKeyReader {
  return coalesce({ itemsPerCallMax: 200, callsAtOnceMax: 1 }, async (keyIds) => {
    const wanted = [...new Set(keyIds)];
    const found = await store.apiKeys.find({ keyId: { $in: wanted } }).toArray();
    const keys = new Map(found.map((key) => [key.keyId, key]));
    return keyIds.map((keyId) => keys.get(keyId) ?? null);
  });
}
