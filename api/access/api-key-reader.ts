// Reads API keys, many callers at once in one read. Nothing is cached: a revoked key ends at once.
import { coalesce } from '../../lib/concurrency/coalesce.ts';
import type { ApiKeyDocument } from '../../lib/model/api-key.ts';
import type { AppDocument } from '../../lib/model/app.ts';
import type { Store } from '../../lib/mongo/connect.ts';

/** A key, and the application that it belongs to, of the same moment. */
export type FoundApiKey = ApiKeyDocument & { app: AppDocument };

/** Gives the key with a key id, or null. */
export type ApiKeyReader = (keyId: string) => Promise<FoundApiKey | null>;

/** Makes the reader of a process. */
export function createApiKeyReader(store: Store): ApiKeyReader {
  // Joined by the server, so that a disabled application is felt at once without a read of its own.
  const withApp = [
    {
      $lookup: {
        from: store.apps.collectionName,
        localField: 'appUid',
        foreignField: '_id',
        as: 'app',
      },
    },
    { $unwind: '$app' },
  ];
  return coalesce({ itemsPerCallMax: 200, callsAtOnceMax: 1 }, async (keyIds) => {
    const wanted = { $match: { keyId: { $in: [...new Set(keyIds)] } } };
    const found = await store.apiKeys.aggregate<FoundApiKey>([wanted, ...withApp]).toArray();
    const keys = new Map(found.map((key) => [key.keyId, key]));
    return keyIds.map((keyId) => keys.get(keyId) ?? null);
  });
}
