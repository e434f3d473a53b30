// Notices: events about the service itself, for operations webhooks.
import type { ClientSession } from 'mongodb';
import { inSlices } from '../concurrency/in-slices.ts';
import { newId } from '../platform/ids.ts';
import type { Attempt, ErrorClass } from '../model/attempt.ts';
import type { DeliveredEntity, DeliveredEventName, NoticeName } from '../model/event-name.ts';
import { renderPayload } from '../model/event-payload.ts';
import { type EventToAttempt, newEvent, recipientFields } from '../model/event.ts';
import { originOf } from '../model/url-origin.ts';
import {
  type DisabledReason,
  type FilteredSubscription,
  type StoredWebhook,
  subscriptionFields,
  type WebhookKind,
} from '../model/webhook.ts';
import type { Store } from '../mongo/connect.ts';
import { filterCheck, isSubscribed } from './subscriptions.ts';

/** The attempt after which a notice is recorded. */
export interface ReportedAttempt {
  eventId: string;
  event: DeliveredEventName;
  n: number;
  at: Date;
  status: number | null;
  errorClass: ErrorClass | null;
  /** One of a fixed set of sentences. */
  detail: string | null;
}

/** The `data` of all `webhook.…` notices. */
export interface WebhookNotice {
  uid: string;
  name: string | null;
  kind: WebhookKind;
  urlOrigin: string;
  failingSince: Date | null;
  deactivatesAt: Date | null;
  disabledReason: DisabledReason | null;
  lastAttempt: ReportedAttempt;
}

/** `data` of `delivery.exhausted`; `uid` is the webhook's. */
export interface ExhaustedData extends Pick<
  WebhookNotice,
  'uid' | 'name' | 'kind' | 'urlOrigin' | 'lastAttempt'
> {
  /** Since the last notice, including this one. */
  exhaustedCount: number;
}

/** `data` of `apikey.expiring`. */
export interface ExpiringKeyData {
  uid: string;
  keyId: string;
  name: string;
  scopes: string[];
  expiresAt: Date;
  lastUsedAt: Date | null;
  rolledTo: string | null;
}

/** `data` of `contextfile.processing_overdue`. */
export interface OverdueFileData {
  uid: string;
  contextUid: string;
  fileName: string;
  externalTenantId: string;
  processingSince: Date;
}

type NoticeData = WebhookNotice | ExhaustedData | ExpiringKeyData | OverdueFileData;

const otherEntities: Partial<Record<NoticeName, DeliveredEntity>> = {
  'apikey.expiring': 'apikey',
  'contextfile.processing_overdue': 'contextfile',
};

interface Notice {
  appUid: string;
  event: NoticeName;
  data: NoticeData;
  now: Date;
}

export function reportedAttempt(event: EventToAttempt, attempt: Attempt): ReportedAttempt {
  const { n, at, status, errorClass, detail } = attempt;
  return { eventId: event._id, event: event.event, n, at, status, errorClass, detail };
}

export function describeWebhook({ _id, name, kind, url }: StoredWebhook) {
  return { uid: _id, name, kind, urlOrigin: originOf(url) };
}

/**
 * Records a notice for the operations webhooks subscribed to it, including paused ones, in the transaction of the
 * change it reports. Records nothing without a subscriber. The relay starts its workflow.
 */
export async function recordNotice(
  store: Store,
  { appUid, event, data, now }: Notice,
  session: ClientSession,
): Promise<void> {
  const externalTenantId = 'externalTenantId' in data ? data.externalTenantId : '';
  const facts = { event, resourceUid: data.uid, externalTenantId };
  const operations = store.webhooks
    .find({ appUid, kind: 'operations' }, { session })
    .project<FilteredSubscription & Pick<StoredWebhook, 'discardCount'>>({
      ...subscriptionFields,
      discardCount: 1,
    })
    .sort({ _id: 1 });
  const matches = filterCheck(data);
  const subscribers: Pick<StoredWebhook, '_id' | 'discardCount'>[] = [];
  for await (const webhook of inSlices(operations)) {
    if (isSubscribed(webhook, facts) && matches(webhook.filter)) subscribers.push(webhook);
  }
  if (subscribers.length === 0) return;
  const eventId = newId('evt', now);
  const document = newEvent(
    {
      ...facts,
      _id: eventId,
      appUid,
      entity: otherEntities[event] ?? 'webhook',
      body: renderPayload({ eventId, event, timestamp: now, appUid, data: { ...data } }),
      ...recipientFields(subscribers),
    },
    now,
  );
  await store.events.insertOne(document, { session });
}
