// Which events of a time a replay sends: looked at, chosen, counted.
import { idAt } from '../ids.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import { testEventName } from '../model/event-name.ts';
import type { EventDocument } from '../model/event.ts';
import type { LaneKey } from '../model/lane.ts';
import type { ReplayDocument } from '../model/redelivery.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import type { Store } from '../store/connect.ts';
import { findDeliveries } from '../store/deliveries.ts';
import { laneOf } from '../store/lanes.ts';
import { isSubscribed } from '../store/webhooks.ts';

// A page looks at so many events for those that are to be sent; most may have been delivered.
const eventsLookedAtMax = 1_000;
const firstAttemptMsMax = 60_000;

// An event has its uid from the beginning of its request, and is there once that is committed: its transaction
// is begun for the last time 10 s later, and waits 5 s for its commit. Only while MongoDB changes its primary may
// one take longer (erase.ts, which waits for those too, because what it takes away must not come back).
const eventWrittenMsMax = 15_000;

/**
 * Gives up to when a replay may look at a time. Where it sends what was never sent, it stays behind events
 * that may still be being written, for subscribers from before the webhook was one: it would be past them for
 * good. Any other state an event of such a moment has only got since the replay was asked for.
 */
export function mayLookUntil({ states, until }: ReplayDocument, now: Date): Date {
  if (!states.includes('never_attempted')) return until;
  return new Date(Math.min(until.getTime(), now.getTime() - eventWrittenMsMax));
}

/** What a look at the next events came to. */
interface Look {
  /** Each with the lane that may be retrying it, null for none. */
  chosen: (Pick<EventDocument, '_id' | 'event'> & { lane: LaneKey | null })[];
  last: string;
  isEnd: boolean;
}

/**
 * Looks at the next events of a replay, those after the uid `after` and recorded before `before`, for what
 * it sends. The end is that of the replay's time.
 */
export async function lookAtEvents(
  store: Store,
  facts: { replay: ReplayDocument; webhook: WebhookDocument; after: string; before: Date },
): Promise<Look> {
  const { replay, webhook, after, before } = facts;
  const { appUid, since, until } = replay;
  const from = after === '' ? { $gte: idAt('evt', since) } : { $gt: after };
  const events = await store.events
    .find(
      { appUid, _id: { ...from, $lt: idAt('evt', before) }, erasedAt: null },
      { projection: { body: 0 } },
    )
    .sort({ _id: 1 })
    .limit(eventsLookedAtMax)
    .toArray();
  const keys = events.map(({ _id: eventId }) => ({ appUid, eventId, webhookUid: webhook._id }));
  const deliveries = keys.length === 0 ? [] : await findDeliveries(store, keys);
  return {
    chosen: events.flatMap((event, index) => {
      const delivery = deliveries[index] ?? null;
      if (!isChosen(event, delivery, { replay, webhook })) return [];
      const isLaned = delivery !== null && isInLane(delivery, { replay, webhook });
      return [{ ...event, lane: isLaned ? laneOf(event, webhook._id) : null }];
    }),
    last: events.at(-1)?._id ?? after,
    isEnd: before >= until && events.length < eventsLookedAtMax,
  };
}

function isChosen(
  event: Omit<EventDocument, 'body'>,
  delivery: DeliveryDocument | null,
  { replay, webhook }: { replay: ReplayDocument; webhook: WebhookDocument },
): boolean {
  // Whatever the webhook gets by now: nobody else carries it, and its attempt looks at that again.
  if (delivery !== null && isTaken(delivery, replay)) return true;
  if (!isWanted(event, { replay, webhook })) return false;
  return delivery === null ? isMissed(event, replay) : isAskedFor(delivery, replay);
}

/** This very page was taken before a crash: it is taken again. */
function isTaken({ state, redeliveryUid }: DeliveryDocument, { _id }: ReplayDocument): boolean {
  return redeliveryUid === _id && state === 'pending';
}

/** Only what the webhook gets as it is now: a replay is no way around its filters. */
function isWanted(
  { event, externalTenantId }: Pick<EventDocument, 'event' | 'externalTenantId'>,
  { replay, webhook }: { replay: ReplayDocument; webhook: WebhookDocument },
): boolean {
  if (event === testEventName) return false;
  if (replay.events !== null && !replay.events.includes(event)) return false;
  return isSubscribed(webhook, { event, externalTenantId });
}

/** Never sent: the webhook did not subscribe, or it did and its first attempt is long overdue. */
function isMissed(
  { webhookUids, createdAt }: Pick<EventDocument, 'webhookUids' | 'createdAt'>,
  { states, webhookUid, createdAt: askedAt }: ReplayDocument,
): boolean {
  if (!states.includes('never_attempted')) return false;
  // The event's own workflow may be about to make that attempt, and would make it as well.
  const isOverdue = askedAt.getTime() - createdAt.getTime() > firstAttemptMsMax;
  return isOverdue || !webhookUids.includes(webhookUid);
}

function isAskedFor({ state, updatedAt }: DeliveryDocument, replay: ReplayDocument): boolean {
  const { states, createdAt: askedAt } = replay;
  if (!(states as readonly string[]).includes(state)) return false;
  // Whoever has just taken it for sending may be about to: only what was left lying is taken over.
  return state !== 'pending' || askedAt.getTime() - updatedAt.getTime() > firstAttemptMsMax;
}

/** Of what this page took before a crash nobody knows any more, so its lane is told once more. */
function isInLane(
  delivery: DeliveryDocument,
  { replay, webhook }: { replay: ReplayDocument; webhook: WebhookDocument },
): boolean {
  return delivery.lane !== null || (webhook.ordering === 'resource' && isTaken(delivery, replay));
}

/** What a dry run tells; `countIsCapped`: there may be more. */
export interface ReplayCount {
  count: number;
  countIsCapped: boolean;
}

const countedMax = 10_000;
const countedLooksMax = 100;

/**
 * Counts what a replay would send at this moment, for a dry run: up to 10,000 deliveries among up to
 * 100,000 events, so that asking takes seconds at most.
 */
export async function countReplay(
  store: Store,
  replay: ReplayDocument,
  webhook: WebhookDocument,
): Promise<ReplayCount> {
  let count = 0;
  let after = '';
  for (let looks = 0; looks < countedLooksMax; looks += 1) {
    const look = await lookAtEvents(store, { replay, webhook, after, before: replay.until });
    count += look.chosen.length;
    if (count > countedMax) return { count: countedMax, countIsCapped: true };
    if (look.isEnd) return { count, countIsCapped: false };
    after = look.last;
  }
  return { count, countIsCapped: true };
}
