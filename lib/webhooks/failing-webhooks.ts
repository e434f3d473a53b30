import type { StoredWebhook } from '../model/webhook.ts';
import type { Store } from '../mongo/connect.ts';

/** Returns the webhooks of all applications that fail, those that fail longest first. */
export async function findFailing(
  store: Store,
  countMax: number,
): Promise<(StoredWebhook & { failingSince: Date })[]> {
  return store.webhooks
    .find<StoredWebhook & { failingSince: Date }>({ failingSince: { $gt: new Date(0) } })
    .sort({ failingSince: 1 })
    .limit(countMax)
    .toArray();
}
