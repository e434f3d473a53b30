// What waits for a webhook, counted.
import { type DeliveryState, openStates } from '../model/delivery-state.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import type { Store } from '../mongo/connect.ts';

const heldCountMax = 10_000;

/** What a webhook holds: while it is paused also what waits for a retry, which is held when due. */
function heldBy({ active }: Pick<WebhookDocument, 'active'>): { state: { $in: DeliveryState[] } } {
  return { state: { $in: active ? ['held'] : [...openStates] } };
}

/** Counts what a webhook holds; from 10,000 on it counts no further. */
export async function countHeld(
  store: Store,
  webhook: Pick<WebhookDocument, '_id' | 'appUid' | 'active'>,
): Promise<number> {
  const filter = { appUid: webhook.appUid, webhookUid: webhook._id, ...heldBy(webhook) };
  return store.deliveries.countDocuments(filter, { limit: heldCountMax });
}

/**
 * Counts what each webhook of an application holds, in two queries; from 10,000 on a webhook is
 * counted no further. A webhook that holds nothing is not in the map.
 */
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
  // Joined to the webhooks, and not grouped, because only so can the counting of each one stop.
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
