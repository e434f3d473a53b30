// What is sent again or dropped, a page at a time: held deliveries, one event's, or those of a range of events.
import { idAt } from '../ids.ts';
import type { Store } from '../store/connect.ts';
import { findDeliveries, findRequeued, requeueDeliveries } from '../store/deliveries.ts';
import type { DeliveryDocument } from '../store/deliveries.ts';
import type { EventDocument } from '../store/events.ts';
import { findTaken, takeHeld } from '../store/held-deliveries.ts';
import { laneOf } from '../store/lanes.ts';
import type { LaneKey } from '../store/lanes.ts';
import { noteRedeliveryProgress, toStart } from '../store/redeliveries.ts';
import type { RedeliveryDocument, ReplayDocument, ResendDocument } from '../store/redeliveries.ts';
import { findKnownWebhooks, isSubscribed } from '../store/webhooks.ts';
import type { WebhookDocument } from '../store/webhooks.ts';
import { testEventName } from '../events.ts';
import { releasedPerSecondDefault } from '../temporal/messages.ts';
import type { RedeliverInput, RedeliverPage } from '../temporal/messages.ts';
import { discardPage } from './discard.ts';
import type { DeliveryPorts } from './ports.ts';

// A page looks at so many events for those that are to be sent; most may have been delivered.
const eventsLookedAtMax = 1_000;
const firstAttemptMsMax = 60_000;

type PagePorts = Pick<DeliveryPorts, 'store' | 'clock' | 'wakeLane'>;

/**
 * Takes the page after `input.after` and gives what is to be delivered; what is to be dropped is
 * dropped. The deliveries are handed to the redelivery or release first, so that each is due and
 * nothing else sends it. Repeating a page gives it again, also when it was the last or the redelivery
 * was cancelled since: what was taken has nobody else to carry it.
 */
export async function takePage(ports: PagePorts, input: RedeliverInput): Promise<RedeliverPage> {
  const { store } = ports;
  const { source, appUid, after } = input;
  if (source.kind === 'held') return takeHeldPage(ports, input, source);
  const now = ports.clock.now();
  const redelivery = await store.redeliveries.findOne({ _id: source.redeliveryUid, appUid });
  if (redelivery === null) return nothingAfter(after);
  const page =
    redelivery.state === 'running'
      ? await takeRedeliveryPage(ports, redelivery, { after, now })
      : await giveAgain(store, redelivery, after);
  const count = page.events.reduce((sum, event) => sum + event.webhookUids.length, 0);
  const releasedCount = input.released + count;
  const { after: reached, isLast: isDone } = page;
  await noteRedeliveryProgress(store, redelivery._id, { releasedCount, reached, isDone, now });
  return page;
}

function nothingAfter(after: string): RedeliverPage {
  return { events: [], after, isLast: true };
}

/** Gives what was taken before the redelivery was done or cancelled and was not handed on: a crash came between. */
async function giveAgain(
  store: Store,
  redelivery: RedeliveryDocument,
  after: string,
): Promise<RedeliverPage> {
  if (redelivery.kind === 'discard') return nothingAfter(after);
  const taken = await findRequeued(store, toStart(redelivery), after);
  const eventIds = [...new Set(taken.map(({ eventId }) => eventId))];
  const events = eventIds.map((eventId) => {
    const ofEvent = taken.filter((delivery) => delivery.eventId === eventId);
    return { eventId, webhookUids: ofEvent.map(({ webhookUid }) => webhookUid) };
  });
  return { events, after: eventIds.at(-1) ?? after, isLast: true };
}

async function takeRedeliveryPage(
  ports: PagePorts,
  redelivery: RedeliveryDocument,
  { after, now }: { after: string; now: Date },
): Promise<RedeliverPage> {
  const { kind, _id: uid, appUid } = redelivery;
  if (kind === 'resend') return takeResend(ports.store, redelivery, now);
  if (kind === 'replay') return takeReplayPage(ports, redelivery, { after, now });
  const pages = redelivery.webhookUids.map((webhookUid) =>
    discardPage(ports, { appUid, webhookUid, uid }),
  );
  return { events: [], after, isLast: (await Promise.all(pages)).every((isLast) => isLast) };
}

async function takeHeldPage(
  ports: PagePorts,
  { appUid, after }: RedeliverInput,
  { webhookUid, releaseUid = null }: Extract<RedeliverInput['source'], { kind: 'held' }>,
): Promise<RedeliverPage> {
  const { store, clock } = ports;
  const place = { appUid, webhookUid, releaseUid, after, countMax: releasedPerSecondDefault };
  let held = await findTaken(store, place);
  // A page that was taken before a crash is given again, whatever has become of the webhook since:
  // nobody else carries it. Further pages are those of the latest release of an active webhook.
  if (held.length === 0) {
    const latest = { _id: webhookUid, appUid, active: true, releaseUid };
    const webhook = await store.webhooks.findOne(latest, { projection: { discardUid: 1 } });
    if (webhook === null) return nothingAfter(after);
    if (!(await isDropped(ports, { appUid, discardUid: webhook.discardUid }))) {
      return { events: [], after, isLast: false };
    }
    // More may be held while this page is read, so only an empty one is the last.
    if ((await takeHeld(store, place, clock.now())) === 0) return nothingAfter(after);
    held = await findTaken(store, place);
  }
  return {
    events: held.map(({ eventId }) => ({ eventId, webhookUids: [webhookUid] })),
    after: held.at(-1)?.uid ?? after,
    isLast: false,
  };
}

/**
 * Tells whether all is dropped that an earlier resume was to drop. If not, a page more is: a release
 * sends none of it, and waits for no other workflow, which may have been ended by hand.
 */
async function isDropped(
  ports: PagePorts,
  { appUid, discardUid }: Pick<WebhookDocument, 'appUid' | 'discardUid'>,
): Promise<boolean> {
  if (discardUid === null) return true;
  const source = { kind: 'redelivery', redeliveryUid: discardUid } as const;
  const page = await takePage(ports, { appUid, source, after: '', released: 0 });
  return page.isLast;
}

async function takeResend(
  store: Store,
  { _id: redeliveryUid, appUid, eventId, webhookUids }: ResendDocument,
  now: Date,
): Promise<RedeliverPage> {
  const event = await store.events.findOne({ _id: eventId, appUid });
  if (event === null) return { events: [], after: eventId, isLast: true };
  const requeueing = { redeliveryUid, requeuedAs: 'resend', now } as const;
  // What a webhook got that was deleted since the resend was asked for stays as it is.
  const known = await findKnownWebhooks(store, { appUid, webhookUids });
  const knownUids = known.map((webhook) => webhook._id);
  const keys = knownUids.map((webhookUid) => ({ appUid, eventId, webhookUid }));
  await requeueDeliveries(
    store,
    keys.map((key) => ({ ...key, event: event.event })),
    requeueing,
  );
  const events = knownUids.length === 0 ? [] : [{ eventId, webhookUids: knownUids }];
  return { events, after: eventId, isLast: true };
}

async function takeReplayPage(
  { store, wakeLane }: PagePorts,
  replay: ReplayDocument,
  { after, now }: { after: string; now: Date },
): Promise<RedeliverPage> {
  const { _id: redeliveryUid, appUid, webhookUid, perSecond } = replay;
  const webhook = await store.webhooks.findOne({ _id: webhookUid, appUid });
  if (webhook === null) return { events: [], after, isLast: true };
  const looked = await lookAtEvents(store, { replay, webhook, after });
  const chosen = looked.chosen.slice(0, perSecond);
  const keys = chosen.map(({ _id: eventId, event }) => ({ appUid, eventId, webhookUid, event }));
  await requeueDeliveries(store, keys, { redeliveryUid, requeuedAs: 'replay', now });
  // A lane would go on waiting for the retry of what it has no more.
  await Promise.all(
    chosen.map(async ({ _id, lane }) => lane !== null && wakeLane({ lane, letGo: _id })),
  );
  const wasCut = chosen.length < looked.chosen.length;
  return {
    events: chosen.map(({ _id: eventId }) => ({ eventId, webhookUids: [webhookUid] })),
    after: wasCut ? (chosen.at(-1)?._id ?? after) : looked.last,
    isLast: !wasCut && looked.isEnd,
  };
}

interface Look {
  /** Each with the lane that may be retrying it, null for none. */
  chosen: (Pick<EventDocument, '_id' | 'event'> & { lane: LaneKey | null })[];
  last: string;
  isEnd: boolean;
}

async function lookAtEvents(
  store: Store,
  { replay, webhook, after }: { replay: ReplayDocument; webhook: WebhookDocument; after: string },
): Promise<Look> {
  const { appUid, since, until } = replay;
  const from = after === '' ? { $gte: idAt('evt', since) } : { $gt: after };
  const events = await store.events
    .find(
      { appUid, _id: { ...from, $lt: idAt('evt', until) }, erasedAt: null },
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
    isEnd: events.length < eventsLookedAtMax,
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
    const look = await lookAtEvents(store, { replay, webhook, after });
    count += look.chosen.length;
    if (count > countedMax) return { count: countedMax, countIsCapped: true };
    if (look.isEnd) return { count, countIsCapped: false };
    after = look.last;
  }
  return { count, countIsCapped: true };
}
