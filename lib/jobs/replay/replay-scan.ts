import type { ClientSession } from 'mongodb';
import type { DeliveryState } from '../../model/delivery-state.ts';
import { testEventName } from '../../model/event-name.ts';
import type { ReplayedState, ReplayedWebhook, ReplayJob } from '../../model/job.ts';
import type { Store } from '../../mongo/connect.ts';
import { within } from '../../mongo/transaction.ts';
import { idAt } from '../../platform/ids.ts';
import { isSubscribed } from '../../webhooks/subscriptions.ts';
import {
  type Chosen,
  type ChosenEvent,
  eventOnly,
  eventWrittenMsMax,
  firstAttemptMsMax,
  isFirstAttemptOverdue,
  keepMatching,
  type TargetWebhook,
  withDeliveries,
} from '../chosen-events.ts';
import { type TakenDelivery, takenFields } from '../taken-by-job.ts';

export const webhooksPerPageMax = 50;

/** Returns how many events a page, or one read of a dry run, checks for the webhook. */
export function checkedMaxOf({ filter }: Pick<TargetWebhook, 'filter'>): number {
  // A filter needs the bodies.
  return filter === null ? 1_000 : 200;
}

export interface Scan {
  chosen: Chosen[];
  checked: number;
  last: string;
  isEnd: boolean;
}

export interface Scanning {
  replay: ReplayJob;
  webhook: TargetWebhook;
  after: string;
  /** At most `checkedMaxOf` the webhook. */
  countMax: number;
  /** Null in a dry run. */
  now: Date | null;
  session?: ClientSession;
}

interface Checked {
  pairs: { event: ChosenEvent | undefined; delivery: TakenDelivery | null }[];
  last: string | undefined;
  isEnd: boolean;
}

/** Checks whether a replay only needs the webhook's deliveries, and not all events of the period. */
export function readsOnlyFailures(
  states: readonly ReplayedState[],
): states is Exclude<ReplayedState, 'delivered' | 'never_attempted'>[] {
  return states.every((state) => state !== 'delivered' && state !== 'never_attempted');
}

/** Checks the next events of a replay to one webhook, oldest first, at most `countMax`. */
export async function scanReplay(store: Store, scanning: Scanning): Promise<Scan> {
  const { replay, webhook, after, session } = scanning;
  const { pairs, last, isEnd } = readsOnlyFailures(replay.states)
    ? await readDeliveries(store, scanning, replay.states)
    : await readEvents(store, scanning);
  const chosen = pairs.flatMap(({ event, delivery }) =>
    event !== undefined && isChosen(event, delivery, scanning) ? [{ event, delivery }] : [],
  );
  return {
    chosen: await keepMatching(store, chosen, { filter: webhook.filter, session }),
    checked: pairs.length,
    last: last ?? after,
    isEnd,
  };
}

// One query per state: MongoDB uses the partial index only for an equality.
async function readDeliveries(
  store: Store,
  { replay, webhook, after, countMax, session }: Scanning,
  states: readonly DeliveryState[],
): Promise<Checked> {
  const { appUid, until } = replay;
  const found: TakenDelivery[] = [];
  for (const state of states) {
    const eventId = { ...rangeFrom(replay, after), $lt: idAt('evt', until) };
    const ofState = await store.deliveries
      .find<TakenDelivery>(
        { appUid, webhookUid: webhook._id, state, eventId },
        { projection: takenFields, hint: 'notDelivered', ...within(session) },
      )
      .sort({ eventId: 1 })
      .limit(countMax)
      .toArray();
    found.push(...ofState);
  }
  const next = found.toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1)).slice(0, countMax);
  const events = await store.events
    .find<ChosenEvent>(
      { _id: { $in: next.map(({ eventId }) => eventId) } },
      { projection: eventOnly(webhook._id), ...within(session) },
    )
    .toArray();
  const eventOf = new Map(events.map((event) => [event._id, event]));
  return {
    pairs: next.map((delivery) => ({ event: eventOf.get(delivery.eventId), delivery })),
    last: next.at(-1)?.eventId,
    isEnd: found.length < countMax,
  };
}

async function readEvents(store: Store, scanning: Scanning): Promise<Checked> {
  const { replay, webhook, after, countMax, now, session } = scanning;
  const before = now === null ? replay.until : scanUntil(replay, now);
  const events = await store.events
    .find<ChosenEvent>(
      { appUid: replay.appUid, _id: { ...rangeFrom(replay, after), $lt: idAt('evt', before) } },
      { projection: eventOnly(webhook._id), ...within(session) },
    )
    .sort({ _id: 1 })
    .limit(countMax)
    .toArray();
  return {
    pairs: await withDeliveries(store, events, { webhookUid: webhook._id, session }),
    last: events.at(-1)?._id,
    isEnd: before >= replay.until && events.length < countMax,
  };
}

function rangeFrom({ since }: ReplayJob, after: string): { $gte: string } | { $gt: string } {
  return after === '' ? { $gte: idAt('evt', since) } : { $gt: after };
}

// A replay of never-attempted events stays behind events still being written, which it would otherwise miss for good.
// An event this new reached any other state after the request.
function scanUntil({ states, until }: ReplayJob, now: Date): Date {
  if (!states.includes('never_attempted')) return until;
  return new Date(Math.min(until.getTime(), now.getTime() - eventWrittenMsMax));
}

function isChosen(
  event: ChosenEvent,
  delivery: TakenDelivery | null,
  { replay, webhook, now }: Pick<Scanning, 'replay' | 'webhook' | 'now'>,
): boolean {
  const { event: name, resourceUid, externalTenantId, erasedAt } = event;
  // A replay respects the webhook's current filters.
  if (name === testEventName) return false;
  if (!isSubscribed(webhook, { event: name, resourceUid, externalTenantId })) return false;
  if (erasedAt !== null) return false;
  // The event of a sync is no change.
  if (event.syncUid !== undefined && delivery === null) return false;
  if (replay.events !== null && !replay.events.includes(name)) return false;
  if (replay.externalTenantId !== null && replay.externalTenantId !== externalTenantId)
    return false;
  const { states, createdAt: at } = replay;
  if (delivery !== null) return isSelected(delivery, replay, now ?? at);
  // Never attempted means that the webhook did not subscribe, or the first attempt is long overdue.
  const webhookUid = webhook._id;
  return states.includes('never_attempted') && isFirstAttemptOverdue(event, { webhookUid, at });
}

function isSelected(delivery: TakenDelivery, replay: ReplayJob, now: Date): boolean {
  const { state, cancelReason, nextAttemptAt, updatedAt } = delivery;
  const { states, cancelReasons, createdAt: requestedAt } = replay;
  if (!(states as readonly string[]).includes(state)) return false;
  if (cancelReason !== null && !(cancelReasons as readonly string[]).includes(cancelReason))
    return false;
  if (state !== 'pending') return true;
  // The owner may be about to send it, from its rate-limit slot on, so only an old one is taken.
  const isDue = nextAttemptAt !== null && nextAttemptAt <= now;
  const touchedMs = Math.max(updatedAt.getTime(), isDue ? nextAttemptAt.getTime() : 0);
  return requestedAt.getTime() - touchedMs > firstAttemptMsMax;
}

export function addCounts(
  before: readonly ReplayedWebhook[],
  sent: readonly ReplayedWebhook[],
): ReplayedWebhook[] {
  const counts = new Map(before.map(({ webhookUid, count }) => [webhookUid, count]));
  for (const { webhookUid, count } of sent) {
    if (count > 0) counts.set(webhookUid, (counts.get(webhookUid) ?? 0) + count);
  }
  return [...counts].map(([webhookUid, count]) => ({ webhookUid, count }));
}
