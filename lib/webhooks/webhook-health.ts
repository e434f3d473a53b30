// The health of a webhook's receiver, and its automatic deactivation.
import type { Filter } from 'mongodb';
import { idAt } from '../platform/ids.ts';
import { systemCaller } from '../model/audit-log.ts';
import type { DeliveryKey } from '../model/delivery.ts';
import type { DisabledReason, WebhookDocument } from '../model/webhook.ts';
import { recordAudit } from '../access/audit-log.ts';
import { inTransaction, type Store } from '../mongo/connect.ts';

type Health = Pick<WebhookDocument, '_id' | 'appUid' | 'failingSince' | 'lastExhaustedAt'>;

/** Pauses a webhook that answered 410, unless its URL was changed since. Returns true when this answer paused it. */
export async function deactivateGoneWebhook(
  store: Store,
  webhook: WebhookDocument,
  now: Date,
): Promise<boolean> {
  return deactivate(store, webhook, { still: { url: webhook.url }, reason: 'gone', now });
}

async function deactivate(
  store: Store,
  { _id, appUid }: Health,
  { still, reason, now }: { still: Filter<WebhookDocument>; reason: DisabledReason; now: Date },
): Promise<boolean> {
  return inTransaction(store, async (session) => {
    const { modifiedCount } = await store.webhooks.updateOne(
      { _id, appUid, active: true, ...still },
      { $set: { active: false, disabledReason: reason, updatedAt: now } },
      { session },
    );
    if (modifiedCount === 0) return false;
    const target = { kind: 'webhook', uid: _id };
    const details = { disabledReason: reason };
    const entry = { appUid, action: 'webhook.deactivated', target, details };
    await recordAudit(store, entry, { caller: systemCaller, now, session });
    return true;
  });
}

interface FailingClock {
  at: Date;
  exhausted: boolean;
  deactivateAfterMs: number;
}

/** Returns true when it paused the webhook: nothing succeeded for `deactivateAfterMs`, and a delivery exhausted. */
export async function recordFailure(
  store: Store,
  webhook: Health,
  { at, exhausted, deactivateAfterMs }: FailingClock,
): Promise<boolean> {
  const filter = { _id: webhook._id, appUid: webhook.appUid };
  if (webhook.failingSince === null) {
    await store.webhooks.updateOne(
      { ...filter, failingSince: null },
      { $set: { failingSince: at } },
    );
  }
  if (exhausted) await store.webhooks.updateOne(filter, { $max: { lastExhaustedAt: at } });
  const since = webhook.failingSince ?? at;
  const isOver = at.getTime() - since.getTime() >= deactivateAfterMs;
  if (!isOver || !(exhausted || webhook.lastExhaustedAt !== null)) return false;
  // A success or a resume since the webhook was read has restarted the clock.
  const still = { failingSince: since };
  if (await hasTakenSince(store, { appUid: webhook.appUid, webhookUid: webhook._id }, since)) {
    const anew = { failingSince: at, lastExhaustedAt: exhausted ? at : null };
    await store.webhooks.updateOne({ ...filter, ...still }, { $set: anew });
    return false;
  }
  return deactivate(store, webhook, { still, reason: 'failing', now: at });
}

// An attempt under way when the clock started did not see the clock, so its success did not clear it.
export async function hasTakenSince(
  store: Store,
  { appUid, webhookUid }: Pick<DeliveryKey, 'appUid' | 'webhookUid'>,
  since: Date,
): Promise<boolean> {
  const taken = { state: 'delivered', statusClass: '2xx' } as const;
  const found = await store.deliveries.findOne(
    { appUid, webhookUid, ...taken, _id: { $gte: idAt('dlv', since) } },
    { projection: { _id: 1 } },
  );
  return found !== null;
}

export async function recordSuccess(store: Store, webhook: Health): Promise<void> {
  if (webhook.failingSince === null) return;
  const filter = { _id: webhook._id, appUid: webhook.appUid };
  await store.webhooks.updateOne(filter, { $set: { failingSince: null, lastExhaustedAt: null } });
}
