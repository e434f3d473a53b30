import { coalesce } from '../../lib/concurrency/coalesce.ts';
import type { Entity } from '../../lib/model/event-name.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { findSubscriptions } from '../../lib/webhooks/webhooks.ts';

interface Wanted {
  appUid: string;
  entities: readonly Entity[];
}

/** Returns the webhooks for any of the entities, paused ones included; read after the call, never cached. */
export type WebhookReader = (wanted: Wanted) => Promise<WebhookDocument[]>;

const reads = { itemsPerCallMax: 200, callsAtOnceMax: 1, rest: { times: 4, msMax: 50 } };

export function createWebhookReader(store: Store): WebhookReader {
  return coalesce(reads, async (wanted: readonly Wanted[]) => {
    const appUids = [...new Set(wanted.map(({ appUid }) => appUid))];
    const entities = [...new Set(wanted.flatMap((each) => each.entities))];
    const webhooks = await findSubscriptions(store, { appUids, entities });
    return wanted.map(({ appUid }) => webhooks.filter((webhook) => webhook.appUid === appUid));
  });
}
