// What replays and syncs share when they choose events for a webhook.
import type { ClientSession } from 'mongodb';
import { inSlices } from '../concurrency/in-slices.ts';
import { findBodies } from '../events/events.ts';
import { pairOf } from '../model/delivery.ts';
import { isDiscardedSince } from '../model/discards.ts';
import { readData } from '../model/event-payload.ts';
import type { EventDocument } from '../model/event.ts';
import type { ReplayJob } from '../model/job.ts';
import {
  type FilterCondition,
  type FilteredSubscription,
  subscriptionFields,
  type WebhookDocument,
} from '../model/webhook.ts';
import { type Store } from '../mongo/connect.ts';
import { within } from '../mongo/transaction.ts';
import { filterCheck } from '../webhooks/subscriptions.ts';
import { type TakenDelivery, takenFields } from './taken-by-job.ts';

// The time from creating an event's uid to its commit: the transaction is retried for 10 s and waits 5 s. Only a change
// of MongoDB's primary takes longer (an erasure allows for that too).
export const eventWrittenMsMax = 15_000;

export const firstAttemptMsMax = 60_000;
// A filter needs the bodies, each up to 256 KiB, so few are read at a time.
const bodiesReadMax = 10;

const eventFields = {
  appUid: 1,
  event: 1,
  entity: 1,
  resourceUid: 1,
  externalTenantId: 1,
  sequence: 1,
  erasedAt: 1,
  syncUid: 1,
  createdAt: 1,
} as const;

/** Has only the webhook in question in `webhookUids` and `order`: 1,000 webhooks would be 100 KiB. */
export type ChosenEvent = Pick<
  EventDocument,
  '_id' | keyof typeof eventFields | 'webhookUids' | 'order'
>;

/** An event to send, with its delivery, or null if there is none yet. */
export interface Chosen {
  event: ChosenEvent;
  delivery: TakenDelivery | null;
}

/** A webhook as far as it decides what a job sends it. */
export type TargetWebhook = FilteredSubscription &
  Pick<WebhookDocument, 'ordering' | 'discardCount'>;

/** Returns those of a job's webhooks to which it still sends, by uid: neither deleted nor discarded since its request. */
export async function findTargets(
  store: Store,
  { appUid, webhookUids, seenDiscards }: Pick<ReplayJob, 'appUid' | 'webhookUids' | 'seenDiscards'>,
  session?: ClientSession,
): Promise<Map<string, TargetWebhook>> {
  const found = await store.webhooks
    .find({ appUid, _id: { $in: webhookUids } }, within(session))
    .project<TargetWebhook>({ ...subscriptionFields, ordering: 1, discardCount: 1 })
    .toArray();
  const targets = found.filter((webhook) => !isDiscardedSince(seenDiscards, webhook));
  return new Map(targets.map((webhook) => [webhook._id, webhook]));
}

/** Returns the projection to `ChosenEvent`. */
export function eventOnly(webhookUid: string) {
  const own = (field: string): object => ({ $eq: [field, webhookUid] });
  return {
    ...eventFields,
    webhookUids: { $filter: { input: '$webhookUids', cond: own('$$this') } },
    order: { $filter: { input: '$order', cond: own('$$this.webhookUid') } },
  };
}

/** Adds to each event its delivery to the webhook. */
export async function withDeliveries(
  store: Store,
  events: readonly ChosenEvent[],
  { webhookUid, session }: { webhookUid: string; session: ClientSession | undefined },
): Promise<Chosen[]> {
  const ids = events.map(({ _id: eventId }) => pairOf({ eventId, webhookUid }));
  const found = await store.deliveries
    .find<TakenDelivery>({ _id: { $in: ids } }, { projection: takenFields, ...within(session) })
    .toArray();
  const deliveries = new Map(found.map((delivery) => [delivery.eventId, delivery]));
  return events.map((event) => ({ event, delivery: deliveries.get(event._id) ?? null }));
}

/** Checks whether an event without a delivery was not recorded for the webhook, or is long overdue. */
export function isFirstAttemptOverdue(
  { webhookUids, createdAt }: Pick<ChosenEvent, 'webhookUids' | 'createdAt'>,
  { webhookUid, at }: { webhookUid: string; at: Date },
): boolean {
  // Earlier, the event's own workflow may be about to make the attempt.
  const isOverdue = at.getTime() - createdAt.getTime() > firstAttemptMsMax;
  return isOverdue || !webhookUids.includes(webhookUid);
}

/** Returns the events that the filter of the webhook matches. */
export async function keepMatching(
  store: Store,
  chosen: readonly Chosen[],
  { filter, session }: { filter: FilterCondition[] | null; session: ClientSession | undefined },
): Promise<Chosen[]> {
  if (filter === null) return [...chosen];
  const kept: Chosen[] = [];
  for (let from = 0; from < chosen.length; from += bodiesReadMax) {
    const part = chosen.slice(from, from + bodiesReadMax);
    const eventIds = part.map(({ event }) => event._id);
    const bodies = await findBodies(store, eventIds, session);
    for await (const one of inSlices(part)) {
      const body = bodies.get(one.event._id);
      if (body !== undefined && filterCheck(readData(body))(filter)) kept.push(one);
    }
  }
  return kept;
}
