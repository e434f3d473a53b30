import type { StoredWebhook } from '../model/webhook.ts';
import type { Store } from '../mongo/connect.ts';

/** Returns the failing webhooks of all applications, those failing longest first. */
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
