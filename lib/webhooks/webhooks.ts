import type { ClientSession } from 'mongodb';
import type { SecretBox } from '../platform/secret-box.ts';
import {
  type Entity,
  entityOf,
  isOperationsEvent,
  type SubscribedEventName,
} from '../model/event-name.ts';
import type { EventFacts } from '../model/event.ts';
import type { KnownWebhook, Subscription, WebhookDocument } from '../model/webhook.ts';
import { type Store } from '../mongo/connect.ts';
import { within } from '../mongo/transaction.ts';

type SealedField = 'secret' | 'headers' | 'auth' | 'tls';

export function secretPlace(
  webhook: { appUid: string; _id: string },
  field: SealedField = 'secret',
): string {
  return `webhooks/${webhook.appUid}/${webhook._id}/${field}`;
}

export interface SigningSecrets {
  /** Signs `X-Webhook-Signature`, which has room for one. */
  body: string;
  standard: string[];
}

/** During a rotation there are two (docs/webhooks.md, "Rotating the secret"). */
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

/** Returns the webhooks of the application, in the order of the uids. */
export async function findKnownWebhooks(
  store: Store,
  { appUid, webhookUids }: { appUid: string; webhookUids: readonly string[] },
  session?: ClientSession,
): Promise<KnownWebhook[]> {
  const found = await store.webhooks
    .find<KnownWebhook>(
      { appUid, _id: { $in: [...webhookUids] } },
      { projection: { _id: 1, active: 1, kind: 1 }, ...within(session) },
    )
    .toArray();
  const known = new Map(found.map((webhook) => [webhook._id, webhook]));
  return webhookUids.flatMap((uid) => known.get(uid) ?? []);
}

// Would only be carried along with each event.
const notForPeople = { name: 0, description: 0, metadata: 0 } as const;

/** Returns the webhooks with any of the uids, as attempts need them. */
export async function findToDeliver(store: Store, uids: string[]): Promise<WebhookDocument[]> {
  return store.webhooks
    .find<WebhookDocument>({ _id: { $in: uids } }, { projection: notForPeople })
    .toArray();
}

interface EventToMatch extends Pick<EventFacts, 'resourceUid' | 'externalTenantId'> {
  event: SubscribedEventName;
}

/** Whether the event is of the webhook's kind, which no resend passes. No webhook is told about itself. */
export function isOfKind(
  { _id, kind }: Pick<WebhookDocument, '_id' | 'kind'>,
  { event, resourceUid }: Omit<EventToMatch, 'externalTenantId'>,
): boolean {
  const isOperations = isOperationsEvent(event);
  return kind === 'operations' ? isOperations && resourceUid !== _id : !isOperations;
}

export function isSubscribed(webhook: Subscription, facts: EventToMatch): boolean {
  const { event, externalTenantId } = facts;
  const { entities, events, externalTenantIds } = webhook;
  return (
    isOfKind(webhook, facts) &&
    (isOperationsEvent(event) || entities.includes(entityOf(event))) &&
    (events?.includes(event) ?? true) &&
    (externalTenantIds?.includes(externalTenantId) ?? true)
  );
}

/** Returns the webhooks for any of the entities in any of the applications, oldest first. */
export async function findSubscriptions(
  store: Store,
  { appUids, entities }: { appUids: string[]; entities: Entity[] },
): Promise<WebhookDocument[]> {
  return store.webhooks
    .find<WebhookDocument>(
      { appUid: { $in: appUids }, entities: { $in: entities } },
      { projection: notForPeople },
    )
    .sort({ _id: 1 })
    .toArray();
}
