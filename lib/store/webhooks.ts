// Webhooks: where an application wants its events sent, with the sealed signing secret.
import type { ClientSession } from 'mongodb';
import { coalesce } from '../coalesce.ts';
import type { SealedSecret } from '../crypto/secret-box.ts';
import type { Entity } from '../events.ts';
import type { Store } from './connect.ts';

export type DisabledReason = 'gone';

export interface WebhookDocument {
  _id: string;
  appUid: string;
  url: string;
  entities: Entity[];
  active: boolean;
  secret: SealedSecret;
  /** Why the service itself paused the webhook; null when its owner did or when it is active. */
  disabledReason: DisabledReason | null;
  lastTriggeredAt: Date | null;
  /** When the webhook was resumed, until a workflow releases what was held; null otherwise. */
  resumedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Where a webhook's secret lives, for the seal: a sealed secret moved to another row does not open. */
export function secretPlace(webhook: { appUid: string; _id: string }): string {
  return `webhooks/${webhook.appUid}/${webhook._id}/secret`;
}

// `lastTriggeredAt` is for people; one write a second at most keeps a busy webhook's row cool.
const triggerStepMs = 1_000;

const triggerWrites = { itemsPerCallMax: 200, callsAtOnceMax: 1, lingerMs: 10 };
const notedWebhooksMax = 10_000;

/**
 * Gives the function that moves a webhook's `lastTriggeredAt` forward to the time of an attempt,
 * never back, at most once a second a webhook for all the attempts of this process.
 */
export function createTriggerNotes(
  store: Store,
): (webhook: WebhookDocument, at: Date) => Promise<void> {
  const notedAtMs = new Map<string, number>();
  const write = coalesce(
    triggerWrites,
    async (notes: readonly (readonly [WebhookDocument, Date])[]) => {
      const webhookUids = notes.map(([webhook]) => webhook._id);
      const latest = new Date(Math.max(...notes.map(([, at]) => at.getTime())));
      await store.webhooks.updateMany(
        { _id: { $in: webhookUids } },
        { $max: { lastTriggeredAt: latest } },
        { writeConcern: { w: 1 } },
      );
      return notes.map(() => undefined);
    },
  );
  return async (webhook, at) => {
    const storedAtMs = webhook.lastTriggeredAt?.getTime() ?? 0;
    const lastMs = Math.max(storedAtMs, notedAtMs.get(webhook._id) ?? 0);
    if (at.getTime() - lastMs < triggerStepMs) return;
    if (notedAtMs.size >= notedWebhooksMax) notedAtMs.clear();
    notedAtMs.set(webhook._id, at.getTime());
    await write([webhook, at]);
  };
}

/** The part of a webhook that says which events it gets. */
export type Subscription = Pick<WebhookDocument, '_id' | 'appUid' | 'entities'>;

/** Gives who takes changes of any of these entities in any of these applications, oldest first. */
export async function findSubscriptions(
  store: Store,
  { appUids, entities }: { appUids: string[]; entities: Entity[] },
  session?: ClientSession,
): Promise<Subscription[]> {
  return store.webhooks
    .find(
      { appUid: { $in: appUids }, entities: { $in: entities } },
      { projection: { appUid: 1, entities: 1 }, ...(session === undefined ? {} : { session }) },
    )
    .sort({ _id: 1 })
    .toArray();
}

/** Pauses a webhook whose receiver answered 410, unless its URL was changed since the attempt. */
export async function deactivateGoneWebhook(
  store: Store,
  webhook: WebhookDocument,
  now: Date,
): Promise<void> {
  await store.webhooks.updateOne(
    { _id: webhook._id, appUid: webhook.appUid, url: webhook.url },
    { $set: { active: false, disabledReason: 'gone', updatedAt: now } },
  );
}

/** The part of a resumed webhook that starting the release of its held deliveries needs. */
export type ResumedWebhook = Pick<WebhookDocument, '_id' | 'appUid'> & { resumedAt: Date };

/** Gives webhooks that were resumed before `before` and whose held deliveries nobody releases yet. */
export async function findResumed(
  store: Store,
  before: Date,
  countMax: number,
): Promise<ResumedWebhook[]> {
  const resumed = await store.webhooks
    .find({ resumedAt: { $lt: before } }, { projection: { appUid: 1, resumedAt: 1 } })
    .limit(countMax)
    .toArray();
  return resumed.filter((webhook): webhook is WebhookDocument & ResumedWebhook => {
    return webhook.resumedAt !== null;
  });
}

/** Notes that a workflow releases what a webhook held; a later resume of it stands. */
export async function markReleased(store: Store, webhook: ResumedWebhook): Promise<void> {
  await store.webhooks.updateOne(
    { _id: webhook._id, appUid: webhook.appUid, resumedAt: webhook.resumedAt },
    { $set: { resumedAt: null } },
    { writeConcern: { w: 1 } },
  );
}
