import type { ClientSession } from 'mongodb';
import { jobLimits } from '../limits.ts';
import { idAt } from '../platform/ids.ts';
import { isOpen } from '../model/delivery-state.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import { testEventName } from '../model/event-name.ts';
import type { EventFacts } from '../model/event.ts';
import type { ReplayJob } from '../model/job.ts';
import { partitionId, type PartitionKey } from '../model/partition.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { type Store, within } from '../mongo/connect.ts';
import { findDeliveries } from './deliveries.ts';
import { factsOnly } from '../events/events.ts';
import {
  type PageMaking,
  type PageStamp,
  requeueDeliveries,
  type SentAgain,
  type TakenPage,
} from './jobs.ts';
import { findSettled, issueNumbers } from './partitions.ts';
import { isSubscribed } from '../webhooks/webhooks.ts';
import type { DeliveryPorts } from './ports.ts';

const eventsScannedMax = 1_000;
const firstAttemptMsMax = 60_000;

// From an event's uid, made when its request begins, to its commit: the last transaction begins 10 s later, and waits 5 s
// for its commit. Only a change of MongoDB's primary takes longer (an erasure waits for that too).
const eventWrittenMsMax = 15_000;

// Where never attempted events are sent, the scan stays behind those still being written: it would miss them for good.
// Other states such a young event can only have got since the request.
function scanUntil({ states, until }: ReplayJob, now: Date): Date {
  if (!states.includes('never_attempted')) return until;
  return new Date(Math.min(until.getTime(), now.getTime() - eventWrittenMsMax));
}

interface Scan {
  chosen: { event: EventFacts; delivery: DeliveryDocument | null }[];
  last: string;
  isEnd: boolean;
}

/** Takes the next deliveries of a replay, `perSecond` at most. Ends with its time range or its webhook. */
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
  const scan = await scanEvents(store, { replay, webhook, after, before, session });
  const chosen = scan.chosen.slice(0, perSecond);
  const wasCut = chosen.length < scan.chosen.length;
  let partitions: PartitionKey[] = [];
  if (webhook.ordering === 'resource') {
    partitions = await sendInOrder(store, { replay, chosen, making });
  } else {
    const stamp = { jobUid: replay._id, jobPage: making.page, ...askedBy(replay) };
    const sentAgain = chosen.map(({ event, delivery }) =>
      toSentAgain(event, webhookUid, delivery?.partition ?? null),
    );
    await requeueDeliveries(store, sentAgain, { stamp, now, session });
  }
  return {
    cursor: wasCut ? (chosen.at(-1)?.event._id ?? after) : scan.last,
    count: chosen.length,
    isEnd: !wasCut && scan.isEnd,
    partitions,
    overtaken: chosen.flatMap(({ delivery }) => delivery ?? []),
  };
}

// The time of the request, which a discard compares: a page may be taken later.
function askedBy({ createdAt }: ReplayJob): Pick<PageStamp, 'requeuedAs' | 'requeuedAt'> {
  return { requeuedAs: 'replay', requeuedAt: createdAt };
}

function toSentAgain(event: EventFacts, webhookUid: string, partition: string | null): SentAgain {
  const { _id: eventId, appUid, event: name, externalTenantId } = event;
  return { appUid, eventId, webhookUid, event: name, externalTenantId, partition };
}

// Issues new numbers, behind what waits in the partitions, unless an event's own turn is still to come.
async function sendInOrder(
  store: Store,
  facts: { replay: ReplayJob; chosen: Scan['chosen']; making: PageMaking },
): Promise<PartitionKey[]> {
  const { replay, chosen, making } = facts;
  const { now, session } = making;
  const { webhookUid } = replay;
  const placed = chosen.map(({ event, delivery }) => {
    const { appUid, entity, resourceUid } = event;
    return { event, delivery, partition: { appUid, webhookUid, entity, resourceUid } };
  });
  const partitions = placed.map(({ partition }) => partition);
  const settled = await findSettled(store, partitions, session);
  const behind = placed.filter(({ event, delivery, partition }) => {
    const n = event.order.find((each) => each.webhookUid === webhookUid)?.n ?? 0;
    const isAhead = n > (settled.get(partitionId(partition)) ?? 0);
    // Its number is settled in a moment, by whoever recorded its end.
    const hasEnded = delivery !== null && !isOpen(delivery.state);
    return !isAhead || hasEnded || (delivery?.jobUid ?? null) !== null;
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
  return [...new Map(partitions.map((each) => [partitionId(each), each])).values()];
}

async function scanEvents(
  store: Store,
  facts: {
    replay: ReplayJob;
    webhook: WebhookDocument;
    after: string;
    before: Date;
    session?: ClientSession;
  },
): Promise<Scan> {
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
  event: EventFacts,
  delivery: DeliveryDocument | null,
  { replay, webhook }: { replay: ReplayJob; webhook: WebhookDocument },
): boolean {
  const { event: name, resourceUid, externalTenantId } = event;
  // A replay is no way around the webhook's current filters.
  if (name === testEventName) return false;
  if (!isSubscribed(webhook, { event: name, resourceUid, externalTenantId })) return false;
  if (replay.events !== null && !replay.events.includes(name)) return false;
  return delivery === null ? isMissed(event, replay) : isAskedFor(delivery, replay);
}

// Never attempted: the webhook did not subscribe, or its first attempt is long overdue.
function isMissed(
  { webhookUids, createdAt }: EventFacts,
  { states, webhookUid, createdAt: askedAt }: ReplayJob,
): boolean {
  if (!states.includes('never_attempted')) return false;
  // Before that the event's own workflow may be about to make the attempt.
  const isOverdue = askedAt.getTime() - createdAt.getTime() > firstAttemptMsMax;
  return isOverdue || !webhookUids.includes(webhookUid);
}

function isAskedFor({ state, updatedAt }: DeliveryDocument, replay: ReplayJob): boolean {
  const { states, createdAt: askedAt } = replay;
  if (!(states as readonly string[]).includes(state)) return false;
  // Its owner may be about to send a `pending` one: only an old one is claimed.
  return state !== 'pending' || askedAt.getTime() - updatedAt.getTime() > firstAttemptMsMax;
}

const countedMax = jobLimits.countedDeliveriesMax;
const countedScansMax = jobLimits.countedEventsMax / eventsScannedMax;

/** Counts what a replay would send now: up to 10,000 deliveries among 100,000 events, so that it takes seconds. */
export async function countReplay(
  store: Store,
  replay: ReplayJob,
  webhook: WebhookDocument,
): Promise<{ count: number; countIsCapped: boolean }> {
  let count = 0;
  let after = '';
  for (let scans = 0; scans < countedScansMax; scans += 1) {
    const scan = await scanEvents(store, { replay, webhook, after, before: replay.until });
    count += scan.chosen.length;
    if (count > countedMax) return { count: countedMax, countIsCapped: true };
    if (scan.isEnd) return { count, countIsCapped: false };
    after = scan.last;
  }
  return { count, countIsCapped: true };
}
