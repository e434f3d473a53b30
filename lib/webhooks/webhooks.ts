import type { AnyBulkWriteOperation, ClientSession } from 'mongodb';
import { coalesce } from '../concurrency/coalesce.ts';
import { createTouch } from '../concurrency/touch.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import {
  type Entity,
  entityOf,
  isOperationsEvent,
  type SubscribedEventName,
} from '../model/event-name.ts';
import type { EventFacts } from '../model/event.ts';
import type {
  KnownWebhook,
  StoredWebhook,
  Subscription,
  WebhookDocument,
} from '../model/webhook.ts';
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

// `lastTriggeredAt` is for people: at most one write a second to a webhook.
const triggerStepMs = 1_000;

/** Moves a webhook's `lastTriggeredAt` forward to the time of an attempt, never back. */
export function createTriggerRecorder(
  store: Store,
): (webhook: WebhookDocument, at: Date) => Promise<void> {
  const touch = createTouch(triggerStepMs);
  const write = coalesce(
    { itemsPerCallMax: 200, callsAtOnceMax: 1, lingerMs: 10 },
    async (triggers: readonly Trigger[]) => {
      await store.webhooks.bulkWrite(inSameSecond(triggers).map(toUpdate), {
        ordered: false,
        writeConcern: { w: 1 },
      });
      return triggers.map(() => undefined);
    },
  );
  return async (webhook, at) => {
    if (touch(webhook._id, at, webhook.lastTriggeredAt)) await write([webhook, at]);
  };
}

type Trigger = readonly [webhook: WebhookDocument, at: Date];

function inSameSecond(triggers: readonly Trigger[]): Trigger[][] {
  const bySecond = new Map<number, Trigger[]>();
  for (const trigger of triggers) {
    const second = Math.floor(trigger[1].getTime() / triggerStepMs);
    const others = bySecond.get(second);
    if (others === undefined) bySecond.set(second, [trigger]);
    else others.push(trigger);
  }
  return [...bySecond.values()];
}

function toUpdate(triggers: readonly Trigger[]): AnyBulkWriteOperation<StoredWebhook> {
  const filter = { _id: { $in: triggers.map(([webhook]) => webhook._id) } };
  const latest = new Date(Math.max(...triggers.map(([, at]) => at.getTime())));
  return { updateMany: { filter, update: { $max: { lastTriggeredAt: latest } } } };
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
