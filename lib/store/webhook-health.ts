// How a webhook's receiver does: failing since when, well again, gone; and the pause that follows.
import type { Filter } from 'mongodb';
import { idAt, timeOfId } from '../ids.ts';
import { systemCaller } from '../model/audit-log.ts';
import type { DeliveryKey } from '../model/delivery.ts';
import type { DisabledReason, WebhookDocument } from '../model/webhook.ts';
import { recordAudit } from './audit-log.ts';
import { inTransaction } from './connect.ts';
import type { Store } from './connect.ts';

/** The part of a webhook that tells how its receiver does. */
type Health = Pick<WebhookDocument, '_id' | 'appUid' | 'failingSince' | 'lastExhaustedAt'>;

/**
 * Pauses a webhook whose receiver answered 410, unless its URL was changed since the attempt. Gives
 * true when this answer paused it.
 */
export async function deactivateGoneWebhook(
  store: Store,
  webhook: WebhookDocument,
  now: Date,
): Promise<boolean> {
  return deactivate(store, webhook, { still: { url: webhook.url }, reason: 'gone', now });
}

/** Pauses a webhook that is active and still as `still` says, with its row of the audit log. */
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

// What an update of a webhook clears when its receiver is taken to be well again.
const unfailing = { failingSince: null, lastExhaustedAt: null } as const;

export interface FailingClock {
  at: Date;
  /** True when the failed attempt was its delivery's last. */
  exhausted: boolean;
  /** How long a webhook may fail before it is paused, in milliseconds. */
  deactivateAfterMs: number;
}

/**
 * Notes the failure of an attempt. Starts the webhook's clock with the first, and pauses it when
 * nothing has succeeded for `deactivateAfterMs` and a delivery has been exhausted in that time.
 * Gives true when this failure paused it. A success that was under way when the clock was started did
 * not stop it, so before a pause the deliveries are asked: where one was taken since, the clock is set to
 * the first failure after it, and a later failure pauses the webhook.
 */
export async function noteFailed(
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
  // A success or a resume since the webhook was read has set the clock anew.
  const still = { failingSince: since };
  const key = { appUid: webhook.appUid, webhookUid: webhook._id };
  const taken = await findLastTaken(store, key, since);
  if (taken !== null) {
    const failingSince = (await findFailureAfter(store, key, taken)) ?? at;
    const lastExhaustedAt = exhausted ? at : webhook.lastExhaustedAt;
    const isSince = lastExhaustedAt !== null && lastExhaustedAt >= failingSince;
    const anew = { failingSince, lastExhaustedAt: isSince ? lastExhaustedAt : null };
    await store.webhooks.updateOne({ ...filter, ...still }, { $set: anew });
    return false;
  }
  return deactivate(store, webhook, { still, reason: 'failing', now: at });
}

type WebhookKey = Pick<DeliveryKey, 'appUid' | 'webhookUid'>;

/**
 * Gives the uid of the last delivery that a webhook took among those whose first attempt was recorded at
 * a time or later. A retry that was under way at that time is not among them: its success is overlooked.
 */
export async function findLastTaken(
  store: Store,
  { appUid, webhookUid }: WebhookKey,
  since: Date,
): Promise<string | null> {
  const taken = { state: 'delivered', statusClass: '2xx' } as const;
  const last = await store.deliveries.findOne(
    { appUid, webhookUid, ...taken, _id: { $gte: idAt('dlv', since) } },
    { projection: { _id: 1 }, sort: { _id: -1 } },
  );
  return last?._id ?? null;
}

/** Gives when the first delivery was recorded that a webhook failed to take after one that it took. */
export async function findFailureAfter(
  store: Store,
  { appUid, webhookUid }: WebhookKey,
  takenUid: string,
): Promise<Date | null> {
  // Not of the same millisecond: the next look from there on would find the one that was taken again.
  const after = new Date(timeOfId(takenUid).getTime() + 1);
  const failed = { statusClass: { $nin: [null, '2xx'] } } as const;
  const first = await store.deliveries.findOne(
    { appUid, webhookUid, ...failed, _id: { $gte: idAt('dlv', after) } },
    { projection: { createdAt: 1 }, sort: { _id: 1 } },
  );
  return first?.createdAt ?? null;
}

/** Notes a success: the clock of failures stands still. */
export async function noteSucceeded(store: Store, webhook: Health): Promise<void> {
  if (webhook.failingSince === null) return;
  await store.webhooks.updateOne({ _id: webhook._id, appUid: webhook.appUid }, { $set: unfailing });
}
