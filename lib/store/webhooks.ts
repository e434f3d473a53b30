// Webhooks: where an application wants its events sent, with the sealed signing secret.
import type { AnyBulkWriteOperation, ClientSession } from 'mongodb';
import { coalesce } from '../coalesce.ts';
import type { SealedSecret, SecretBox } from '../crypto/secret-box.ts';
import { entityOf } from '../events.ts';
import type { Entity, EventName } from '../events.ts';
import { within } from './connect.ts';
import type { Store } from './connect.ts';

/** Why the service paused a webhook: it answered 410, or it failed for days. */
export type DisabledReason = 'gone' | 'failing';

/** How events reach a webhook: each for itself, or those about one resource one after the other. */
export const orderings = ['parallel', 'resource'] as const;
export type Ordering = (typeof orderings)[number];

export interface WebhookDocument {
  _id: string;
  appUid: string;
  url: string;
  entities: Entity[];
  /** The only events it gets; null for all of its entities'. */
  events: EventName[] | null;
  /** The only tenants whose events it gets; null for all. */
  externalTenantIds: string[] | null;
  /** The waits between its attempts; null for the service's. */
  retryScheduleMs: number[] | null;
  ordering: Ordering;
  active: boolean;
  secret: SealedSecret;
  /** The secret before a rotation, until the receiver must know the new one. */
  previousSecret: PreviousSecret | null;
  disabledReason: DisabledReason | null;
  /** When the first of the failures came that no success has followed; null while it answers. */
  failingSince: Date | null;
  /** When a delivery to it last ended as exhausted since then. */
  lastExhaustedAt: Date | null;
  lastTriggeredAt: Date | null;
  /** When the webhook was resumed, until a workflow releases what was held; null otherwise. */
  resumedAt: Date | null;
  /** The release or discard of the latest resume, which ends releases before it; null before the first. */
  releaseUid: string | null;
  /** How many pages its releases have taken; absent while there is none. */
  pagesTaken?: number;
  /** The discard of the latest resume that dropped what was held; null where none did. */
  discardUid: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface PreviousSecret {
  secret: SealedSecret;
  /** Until when deliveries are signed with it, too. */
  until: Date;
  /** True once `X-Webhook-Signature`, which has room for one, is made with the new secret. */
  promoted: boolean;
}

/** Where a webhook's secret lives, for the seal: a sealed secret moved to another row does not open. */
export function secretPlace(webhook: { appUid: string; _id: string }): string {
  return `webhooks/${webhook.appUid}/${webhook._id}/secret`;
}

/** The secrets that sign a delivery at a time. */
export interface SigningSecrets {
  /** Signs `X-Webhook-Signature`, which has room for one. */
  body: string;
  /** Sign `webhook-signature`, the newest first. */
  standard: string[];
}

/** Opens a webhook's secrets; during a rotation there are two (docs/webhooks.md, "Rotating the secret"). */
export function openSecrets(
  box: SecretBox,
  webhook: Pick<WebhookDocument, '_id' | 'appUid' | 'secret' | 'previousSecret'>,
  now: Date,
): SigningSecrets {
  const place = secretPlace(webhook);
  const current = box.open(webhook.secret, place);
  const previous = webhook.previousSecret;
  if (previous === null || previous.until <= now) return { body: current, standard: [current] };
  const old = box.open(previous.secret, place);
  return { body: previous.promoted ? current : old, standard: [current, old] };
}

/** A webhook that exists, and whether it is paused. */
export type KnownWebhook = Pick<WebhookDocument, '_id' | 'active'>;

/** Gives those of the uids that are webhooks of the application, in their order. */
export async function findKnownWebhooks(
  store: Store,
  { appUid, webhookUids }: { appUid: string; webhookUids: readonly string[] },
  session?: ClientSession,
): Promise<KnownWebhook[]> {
  const found = await store.webhooks
    .find<KnownWebhook>(
      { appUid, _id: { $in: [...webhookUids] } },
      { projection: { _id: 1, active: 1 }, ...within(session) },
    )
    .toArray();
  const known = new Map(found.map((webhook) => [webhook._id, webhook]));
  return webhookUids.flatMap((uid) => known.get(uid) ?? []);
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
  const write = coalesce(triggerWrites, async (notes: readonly TriggerNote[]) => {
    await store.webhooks.bulkWrite(inSameSecond(notes).map(toUpdate), {
      ordered: false,
      writeConcern: { w: 1 },
    });
    return notes.map(() => undefined);
  });
  return async (webhook, at) => {
    const storedAtMs = webhook.lastTriggeredAt?.getTime() ?? 0;
    const lastMs = Math.max(storedAtMs, notedAtMs.get(webhook._id) ?? 0);
    if (at.getTime() - lastMs < triggerStepMs) return;
    if (notedAtMs.size >= notedWebhooksMax) notedAtMs.clear();
    notedAtMs.set(webhook._id, at.getTime());
    await write([webhook, at]);
  };
}

type TriggerNote = readonly [webhook: WebhookDocument, at: Date];

/** Attempts end together that began seconds apart; what was begun in the same second is written as one. */
function inSameSecond(notes: readonly TriggerNote[]): TriggerNote[][] {
  const bySecond = new Map<number, TriggerNote[]>();
  for (const note of notes) {
    const second = Math.floor(note[1].getTime() / triggerStepMs);
    const others = bySecond.get(second);
    if (others === undefined) bySecond.set(second, [note]);
    else others.push(note);
  }
  return [...bySecond.values()];
}

function toUpdate(notes: readonly TriggerNote[]): AnyBulkWriteOperation<WebhookDocument> {
  const filter = { _id: { $in: notes.map(([webhook]) => webhook._id) } };
  const latest = new Date(Math.max(...notes.map(([, at]) => at.getTime())));
  return { updateMany: { filter, update: { $max: { lastTriggeredAt: latest } } } };
}

/** The part of a webhook that says which events it gets. */
export type Subscription = Pick<
  WebhookDocument,
  '_id' | 'appUid' | 'entities' | 'events' | 'externalTenantIds' | 'ordering'
>;

/** Tells whether a webhook gets an event: its entity, and where it names them its name and tenant. */
export function isSubscribed(
  { entities, events, externalTenantIds }: Omit<Subscription, 'ordering'>,
  { event, externalTenantId }: { event: EventName; externalTenantId: string },
): boolean {
  return (
    entities.includes(entityOf(event)) &&
    (events?.includes(event) ?? true) &&
    (externalTenantIds?.includes(externalTenantId) ?? true)
  );
}

/** Gives who takes changes of any of these entities in any of these applications, oldest first. */
export async function findSubscriptions(
  store: Store,
  { appUids, entities }: { appUids: string[]; entities: Entity[] },
  session?: ClientSession,
): Promise<Subscription[]> {
  return store.webhooks
    .find(
      { appUid: { $in: appUids }, entities: { $in: entities } },
      {
        projection: { appUid: 1, entities: 1, events: 1, externalTenantIds: 1, ordering: 1 },
        ...within(session),
      },
    )
    .sort({ _id: 1 })
    .toArray();
}

/** The part of a resumed webhook that starting the release of its held deliveries needs. */
export type ResumedWebhook = Pick<WebhookDocument, '_id' | 'appUid' | 'releaseUid'> & {
  resumedAt: Date;
};

/** Gives webhooks that were resumed before `before` and whose held deliveries nobody releases yet. */
export async function findResumed(
  store: Store,
  before: Date,
  countMax: number,
): Promise<ResumedWebhook[]> {
  const resumed = await store.webhooks
    .find(
      // The type says nothing new, but only with it does MongoDB read the partial index.
      { resumedAt: { $lt: before, $type: 'date' } },
      { projection: { appUid: 1, resumedAt: 1, releaseUid: 1 } },
    )
    .limit(countMax)
    .toArray();
  return resumed.filter((webhook): webhook is WebhookDocument & ResumedWebhook => {
    return webhook.resumedAt !== null;
  });
}

/** Notes that a workflow releases what a webhook held; a later resume of it stands. */
export async function markReleased(store: Store, webhook: ResumedWebhook): Promise<void> {
  const { _id, appUid, resumedAt, releaseUid } = webhook;
  await store.webhooks.updateOne(
    { _id, appUid, resumedAt, releaseUid },
    { $set: { resumedAt: null } },
    { writeConcern: { w: 1 } },
  );
}
