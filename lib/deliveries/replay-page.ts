// A page of a replay: which events of a time are sent again, or for the first time.
import type { ClientSession } from 'mongodb';
import { idAt } from '../platform/ids.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import { testEventName } from '../model/event-name.ts';
import type { EventDocument } from '../model/event.ts';
import type { ReplayJob } from '../model/job.ts';
import { partitionId, type PartitionKey } from '../model/partition.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { type Store, within } from '../mongo/connect.ts';
import { findDeliveries } from './deliveries.ts';
import { factsOnly } from '../events/events.ts';
import { type PageStamp, requeueDeliveries, type SentAgain } from './jobs.ts';
import { findSettled, issueNumbers } from './partitions.ts';
import { isSubscribed } from '../webhooks/webhooks.ts';
import type { PageMaking, TakenPage } from './page-making.ts';
import type { DeliveryPorts } from './ports.ts';

// A page looks at so many events for those that are to be sent; most may have been delivered.
const eventsScannedMax = 1_000;
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
function scanUntil({ states, until }: ReplayJob, now: Date): Date {
  if (!states.includes('never_attempted')) return until;
  return new Date(Math.min(until.getTime(), now.getTime() - eventWrittenMsMax));
}

type ScannedEvent = Omit<EventDocument, 'body'>;

/** What a look at the next events came to. */
interface Look {
  chosen: { event: ScannedEvent; delivery: DeliveryDocument | null }[];
  last: string;
  isEnd: boolean;
}

/** Takes the next deliveries of a replay, `perSecond` at most. Ends with its time, and with its webhook. */
export async function takeReplayPage(
  { store }: Pick<DeliveryPorts, 'store'>,
  replay: ReplayJob,
  making: PageMaking,
): Promise<TakenPage> {
  const { appUid, webhookUid, perSecond, cursor: after } = replay;
  const { now, session } = making;
  const webhook = await store.webhooks.findOne({ _id: webhookUid, appUid }, { session });
  if (webhook === null) return { cursor: after, count: 0, isEnd: true, partitions: [] };
  const before = scanUntil(replay, now);
  const looked = await scanEvents(store, { replay, webhook, after, before, session });
  const chosen = looked.chosen.slice(0, perSecond);
  const wasCut = chosen.length < looked.chosen.length;
  const partitions =
    webhook.ordering === 'resource'
      ? await sendInOrder({ store }, { replay, webhook, chosen, making })
      : [];
  if (webhook.ordering !== 'resource') {
    const stamp = { jobUid: replay._id, jobPage: making.page, ...askedBy(replay) };
    const sentAgain = chosen.map(({ event, delivery }) =>
      toSentAgain(event, webhookUid, delivery?.partition ?? null),
    );
    await requeueDeliveries(store, sentAgain, { stamp, now, session });
  }
  return {
    cursor: wasCut ? (chosen.at(-1)?.event._id ?? after) : looked.last,
    count: chosen.length,
    isEnd: !wasCut && looked.isEnd,
    partitions,
  };
}

/** A discard compares when it was asked for: a page may be taken later. */
function askedBy({ createdAt }: ReplayJob): Pick<PageStamp, 'requeuedAs' | 'requeuedAt'> {
  return { requeuedAs: 'replay', requeuedAt: createdAt };
}

function toSentAgain(event: ScannedEvent, webhookUid: string, partition: string | null): SentAgain {
  const { _id: eventId, appUid, event: name } = event;
  return { appUid, eventId, webhookUid, event: name, partition };
}

/**
 * Gives events that are sent again to an ordered webhook new numbers in their partitions, behind what
 * waits there, unless their own turn is still to come.
 */
async function sendInOrder(
  { store }: Pick<DeliveryPorts, 'store'>,
  facts: {
    replay: ReplayJob;
    webhook: WebhookDocument;
    chosen: Look['chosen'];
    making: PageMaking;
  },
): Promise<PartitionKey[]> {
  const { replay, webhook, chosen, making } = facts;
  const { now, session } = making;
  const { _id: webhookUid } = webhook;
  const placed = chosen.map(({ event, delivery }) => {
    const { appUid, entity, resourceUid } = event;
    return { event, delivery, partition: { appUid, webhookUid, entity, resourceUid } };
  });
  const settled = await findSettled(
    store,
    placed.map((each) => each.partition),
    session,
  );
  const behind = placed.filter(({ event, delivery, partition }) => {
    const n = event.order.find((each) => each.webhookUid === webhookUid)?.n ?? 0;
    const isAhead = n > (settled.get(partitionId(partition)) ?? 0);
    return !isAhead || (delivery?.jobUid ?? null) !== null;
  });
  const numbers = await issueNumbers(
    store,
    behind.map((each) => each.partition),
    { now, session },
  );
  for (const [index, { event }] of behind.entries()) {
    const others = event.order.filter((each) => each.webhookUid !== webhookUid);
    const order = [...others, { webhookUid, n: numbers[index] ?? 0 }];
    await store.events.updateOne({ _id: event._id }, { $set: { order } }, { session });
  }
  const stamp = { jobUid: null, jobPage: null, ...askedBy(replay) };
  const sentAgain = placed.map(({ event, partition }) =>
    toSentAgain(event, webhookUid, partitionId(partition)),
  );
  await requeueDeliveries(store, sentAgain, { stamp, now, session });
  return [...new Map(placed.map(({ partition }) => [partitionId(partition), partition])).values()];
}

/**
 * Looks at the next events of a replay, those after the uid `after` and recorded before `before`, for what
 * it sends. The end is that of the replay's time.
 */
async function scanEvents(
  store: Store,
  facts: {
    replay: ReplayJob;
    webhook: WebhookDocument;
    after: string;
    before: Date;
    session?: ClientSession;
  },
): Promise<Look> {
  const { replay, webhook, after, before, session } = facts;
  const { appUid, since, until } = replay;
  const from = after === '' ? { $gte: idAt('evt', since) } : { $gt: after };
  const events = await store.events
    .find(
      { appUid, _id: { ...from, $lt: idAt('evt', before) }, erasedAt: null },
      { projection: factsOnly, ...within(session) },
    )
    .sort({ _id: 1 })
    .limit(eventsScannedMax)
    .toArray();
  const keys = events.map(({ _id: eventId }) => ({ appUid, eventId, webhookUid: webhook._id }));
  const deliveries = keys.length === 0 ? [] : await findDeliveries(store, keys, session);
  return {
    chosen: events.flatMap((event, index) => {
      const delivery = deliveries[index] ?? null;
      return isChosen(event, delivery, { replay, webhook }) ? [{ event, delivery }] : [];
    }),
    last: events.at(-1)?._id ?? after,
    isEnd: before >= until && events.length < eventsScannedMax,
  };
}

function isChosen(
  event: ScannedEvent,
  delivery: DeliveryDocument | null,
  { replay, webhook }: { replay: ReplayJob; webhook: WebhookDocument },
): boolean {
  if (!isWanted(event, { replay, webhook })) return false;
  return delivery === null ? isMissed(event, replay) : isAskedFor(delivery, replay);
}

/** Only what the webhook gets as it is now: a replay is no way around its filters. */
function isWanted(
  { event, externalTenantId }: Pick<EventDocument, 'event' | 'externalTenantId'>,
  { replay, webhook }: { replay: ReplayJob; webhook: WebhookDocument },
): boolean {
  if (event === testEventName) return false;
  if (replay.events !== null && !replay.events.includes(event)) return false;
  return isSubscribed(webhook, { event, externalTenantId });
}

/** Never sent: the webhook did not subscribe, or it did and its first attempt is long overdue. */
function isMissed(
  { webhookUids, createdAt }: Pick<EventDocument, 'webhookUids' | 'createdAt'>,
  { states, webhookUid, createdAt: askedAt }: ReplayJob,
): boolean {
  if (!states.includes('never_attempted')) return false;
  // The event's own workflow may be about to make that attempt, and would make it as well.
  const isOverdue = askedAt.getTime() - createdAt.getTime() > firstAttemptMsMax;
  return isOverdue || !webhookUids.includes(webhookUid);
}

function isAskedFor({ state, updatedAt }: DeliveryDocument, replay: ReplayJob): boolean {
  const { states, createdAt: askedAt } = replay;
  if (!(states as readonly string[]).includes(state)) return false;
  // Whoever has just taken it for sending may be about to: only what was left lying is taken over.
  return state !== 'pending' || askedAt.getTime() - updatedAt.getTime() > firstAttemptMsMax;
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
  replay: ReplayJob,
  webhook: WebhookDocument,
): Promise<ReplayCount> {
  let count = 0;
  let after = '';
  for (let looks = 0; looks < countedLooksMax; looks += 1) {
    const look = await scanEvents(store, { replay, webhook, after, before: replay.until });
    count += look.chosen.length;
    if (count > countedMax) return { count: countedMax, countIsCapped: true };
    if (look.isEnd) return { count, countIsCapped: false };
    after = look.last;
  }
  return { count, countIsCapped: true };
}
