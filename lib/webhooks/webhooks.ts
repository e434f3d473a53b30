// Webhooks: where an application wants its events sent, with the sealed signing secret.
import type { AnyBulkWriteOperation, ClientSession } from 'mongodb';
import { coalesce } from '../concurrency/coalesce.ts';
import { createTouch } from '../concurrency/touch.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { type Entity, entityOf, type EventName } from '../model/event-name.ts';
import type { KnownWebhook, Subscription, WebhookDocument } from '../model/webhook.ts';
import { type Store, within } from '../mongo/connect.ts';

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

/**
 * Gives the function that moves a webhook's `lastTriggeredAt` forward to the time of an attempt,
 * never back, at most once a second a webhook for all the attempts of this process.
 */
export function createTriggerRecorder(
  store: Store,
): (webhook: WebhookDocument, at: Date) => Promise<void> {
  const touch = createTouch(triggerStepMs);
  const write = coalesce(triggerWrites, async (notes: readonly TriggerNote[]) => {
    await store.webhooks.bulkWrite(inSameSecond(notes).map(toUpdate), {
      ordered: false,
      writeConcern: { w: 1 },
    });
    return notes.map(() => undefined);
  });
  return async (webhook, at) => {
    if (touch(webhook._id, at, webhook.lastTriggeredAt)) await write([webhook, at]);
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
