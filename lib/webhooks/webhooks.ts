import type { ClientSession } from 'mongodb';
import { type ChangedEntity, isOfResources } from '../model/event-name.ts';
import { knownFields, type KnownWebhook, type WebhookDocument } from '../model/webhook.ts';
import { type Store } from '../mongo/connect.ts';
import { within } from '../mongo/transaction.ts';

/** Returns those of the webhooks that exist in the application, in the order of `webhookUids`. */
export async function findKnownWebhooks(
  store: Store,
  { appUid, webhookUids }: { appUid: string; webhookUids: readonly string[] },
  session?: ClientSession,
): Promise<KnownWebhook[]> {
  const found = await store.webhooks
    .find<KnownWebhook>(
      { appUid, _id: { $in: [...webhookUids] } },
      { projection: knownFields, ...within(session) },
    )
    .toArray();
  const known = new Map(found.map((webhook) => [webhook._id, webhook]));
  return webhookUids.flatMap((uid) => known.get(uid) ?? []);
}

// Fields that deliveries do not need.
const withoutDisplayFields = { name: 0, description: 0, metadata: 0, lastTriggeredAt: 0 } as const;

/** Returns the webhooks with these uids, with the fields that attempts need. */
export async function findWebhooksToDeliver(
  store: Store,
  uids: string[],
  session?: ClientSession,
): Promise<WebhookDocument[]> {
  return store.webhooks
    .find<WebhookDocument>(
      { _id: { $in: uids } },
      { projection: withoutDisplayFields, ...within(session) },
    )
    .toArray();
}

/**
 * Returns an application's webhooks for any of the entities, oldest first, as raw BSON for a `DocumentParser`. All its
 * operations webhooks are for users and applications. Not a majority read: on a new primary it may miss an acknowledged
 * webhook, which would then never get the event.
 */
export async function findSubscriptions(
  store: Store,
  { appUid, entities }: { appUid: string; entities: ChangedEntity[] },
): Promise<Buffer[]> {
  const ofResources = entities.filter(isOfResources);
  const forResources = { entities: { $in: ofResources } };
  const hasOthers = ofResources.length < entities.length;
  const wanted = hasOthers
    ? { $or: [forResources, { kind: 'operations' as const }] }
    : forResources;
  return store.webhooks
    .find<Buffer>(
      { appUid, ...wanted },
      {
        projection: withoutDisplayFields,
        readConcern: { level: 'local' },
        raw: true,
        // Without the hint, MongoDB may read all webhooks of the application, since that index has their order.
        ...(hasOthers ? {} : { hint: 'subscribers' }),
      },
    )
    .sort({ _id: 1 })
    .toArray();
}
