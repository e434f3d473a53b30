import { coalesce } from '../../lib/concurrency/coalesce.ts';
import { processLimits } from '../../lib/limits.ts';
import type { ChangedEntity } from '../../lib/model/event-name.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { DocumentParser } from '../../lib/mongo/document-parser.ts';
import { findSubscriptions } from '../../lib/webhooks/webhooks.ts';

interface Wanted {
  appUid: string;
  entities: readonly ChangedEntity[];
}

/** Returns the webhooks for any of the entities, including paused ones. The read starts after the call. */
export type WebhookReader = (wanted: Wanted) => Promise<readonly WebhookDocument[]>;

const reads = { itemsPerCallMax: 200, concurrentCallsMax: 1 };

/** Concurrent calls of an application share a read, and never wait for another application. */
export function createWebhookReader(store: Store): WebhookReader {
  const parser = new DocumentParser<WebhookDocument>(processLimits.webhookBytesKeptMax);
  const read = async (wanted: readonly Wanted[]): Promise<WebhookDocument[][]> => {
    const entities = [...new Set(wanted.flatMap((each) => each.entities))];
    const [{ appUid } = { appUid: '' }] = wanted;
    const webhooks = await parser.parse(await findSubscriptions(store, { appUid, entities }));
    return wanted.map(() => webhooks);
  };
  return coalesce(reads, read, ({ appUid }) => appUid);
}
