import { type DeliveryState, openStates } from '../model/delivery-state.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import type { Store } from '../mongo/connect.ts';

const heldCountMax = 10_000;

// For a paused webhook, pending and retrying deliveries count too: they are held when due.
function heldBy({ active }: Pick<WebhookDocument, 'active'>): { state: { $in: DeliveryState[] } } {
  return { state: { $in: active ? ['held'] : [...openStates] } };
}

/** Counts the held deliveries of a webhook, up to 10,000. */
export async function countHeld(
  store: Store,
  webhook: Pick<WebhookDocument, '_id' | 'appUid' | 'active'>,
): Promise<number> {
  const filter = { appUid: webhook.appUid, webhookUid: webhook._id, ...heldBy(webhook) };
  return store.deliveries.countDocuments(filter, { limit: heldCountMax, hint: 'webhookState' });
}

/** Counts the held deliveries of each webhook of an application, up to 10,000 each, without webhooks that have none. */
export async function countHeldByWebhook(
  store: Store,
  appUid: string,
): Promise<Map<string, number>> {
  const counts = await Promise.all(
    [true, false].map((active) => countHeldOf(store, { appUid, active })),
  );
  return new Map(counts.flat().map(({ _id, held }) => [_id, held]));
}

async function countHeldOf(
  store: Store,
  { appUid, active }: Pick<WebhookDocument, 'appUid' | 'active'>,
): Promise<{ _id: string; held: number }[]> {
  // A join instead of a group, because only then can each count stop at its limit.
  const counted = store.webhooks.aggregate<{ _id: string; held: number }>([
    { $match: { appUid, active } },
    {
      $lookup: {
        from: store.deliveries.collectionName,
        localField: '_id',
        foreignField: 'webhookUid',
        pipeline: [
          { $match: { appUid, ...heldBy({ active }) } },
          { $limit: heldCountMax },
          { $count: 'count' },
        ],
        as: 'held',
      },
    },
    { $unwind: '$held' },
    { $project: { held: '$held.count' } },
  ]);
  return counted.toArray();
}
