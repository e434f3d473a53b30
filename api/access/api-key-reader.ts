import { coalesce } from '../../lib/concurrency/coalesce.ts';
import type { ApiKeyDocument } from '../../lib/model/api-key.ts';
import type { AppDocument } from '../../lib/model/app.ts';
import type { Store } from '../../lib/mongo/connect.ts';

export type FoundApiKey = ApiKeyDocument & { app: AppDocument };

export type ApiKeyReader = (keyId: string) => Promise<FoundApiKey | null>;

/** Batches concurrent reads. Nothing is cached, so a revoked key stops working immediately. */
export function createApiKeyReader(store: Store): ApiKeyReader {
  // Joined, so that a disabled application takes effect immediately, without a second read.
  const from = store.apps.collectionName;
  const $lookup = { from, localField: 'appUid', foreignField: '_id', as: 'app' };
  return coalesce({ itemsPerCallMax: 200, concurrentCallsMax: 1 }, async (keyIds) => {
    const $match = { keyId: { $in: [...new Set(keyIds)] } };
    const stages = [{ $match }, { $lookup }, { $unwind: '$app' }];
    const found = await store.apiKeys.aggregate<FoundApiKey>(stages).toArray();
    const keys = new Map(found.map((key) => [key.keyId, key]));
    return keyIds.map((keyId) => keys.get(keyId) ?? null);
  });
}
