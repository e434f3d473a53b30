import type { ClientSession } from 'mongodb';
import { jobLimits } from '../limits.ts';
import { isOpen } from '../model/delivery-state.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { ReplayedState, ReplayedWebhook, ReplayJob } from '../model/job.ts';
import { partitionId, type PartitionKey } from '../model/partition.ts';
import { subscriptionFields } from '../model/webhook.ts';
import { type Store } from '../mongo/connect.ts';
import { within } from '../mongo/transaction.ts';
import {
  discardCountFor,
  type PageContext,
  type PageStamp,
  requeueDeliveries,
  type TakenPage,
} from './jobs.ts';
import type { TakenDelivery } from './taken-by-job.ts';
import { findSettled, issueNumbers, scheduleSignal } from '../order/partitions.ts';
import type { DeliveryPorts } from '../deliveries/ports.ts';
import { type Chosen, type ReplayTarget, scanReplay } from './replay-scan.ts';

// These limits bound the transaction of a page, in addition to its rate.
const checkedPerPageMax = 1_000;
const webhooksPerPageMax = 50;

type ReplayContext = PageContext & { replay: ReplayJob };

/** Takes the next deliveries of a replay, at most `perSecond`, one webhook after another. */
export async function takeReplayPage(
  { store }: Pick<DeliveryPorts, 'store'>,
  replay: ReplayJob,
  context: PageContext,
): Promise<TakenPage> {
  const { webhookUids, perSecond } = replay;
  const { now, session } = context;
  const next = webhookUids.slice(replay.webhooksDone, replay.webhooksDone + webhooksPerPageMax);
  const webhooks = await findWebhooks(store, { ...replay, webhookUids: next }, session);
  const partitions: PartitionKey[] = [];
  const takenByJob: TakenDelivery[] = [];
  const sent: ReplayedWebhook[] = [];
  let { webhooksDone, cursor } = replay;
  let room = perSecond;
  let toCheck = checkedPerPageMax;
  for (const webhookUid of next) {
    if (room === 0 || toCheck === 0) break;
    const webhook = webhooks.get(webhookUid);
    if (webhook !== undefined) {
      const scanning = { replay, webhook, after: cursor, countMax: toCheck, now, session };
      const scan = await scanReplay(store, scanning);
      const chosen = scan.chosen.slice(0, room);
      const isCut = chosen.length < scan.chosen.length;
      partitions.push(...(await send(store, { webhook, chosen }, { ...context, replay })));
      takenByJob.push(...chosen.flatMap(({ delivery }) => delivery ?? []));
      sent.push({ webhookUid, count: chosen.length });
      cursor = isCut ? (chosen.at(-1)?.event._id ?? cursor) : scan.last;
      room -= chosen.length;
      toCheck -= scan.checked;
      if (isCut || !scan.isEnd) break;
    }
    webhooksDone += 1;
    // The cursor of the last webhook is kept, to show how far the replay came.
    if (webhooksDone < webhookUids.length) cursor = '';
  }
  return {
    cursor,
    count: perSecond - room,
    isEnd: webhooksDone >= webhookUids.length,
    partitions,
    takenByJob,
    progress: { webhooksDone, webhooks: addCounts(replay.webhooks, sent) },
  };
}

async function findWebhooks(
  store: Store,
  { appUid, webhookUids }: Pick<ReplayJob, 'appUid' | 'webhookUids'>,
  session?: ClientSession,
): Promise<Map<string, ReplayTarget>> {
  const found = await store.webhooks
    .find({ appUid, _id: { $in: webhookUids } }, within(session))
    .project<ReplayTarget>({ ...subscriptionFields, ordering: 1, discardCount: 1 })
    .toArray();
  return new Map(found.map((webhook) => [webhook._id, webhook]));
}

function addCounts(
  before: readonly ReplayedWebhook[],
  sent: readonly ReplayedWebhook[],
): ReplayedWebhook[] {
  const counts = new Map(before.map(({ webhookUid, count }) => [webhookUid, count]));
  for (const { webhookUid, count } of sent) {
    if (count > 0) counts.set(webhookUid, (counts.get(webhookUid) ?? 0) + count);
  }
  return [...counts].map(([webhookUid, count]) => ({ webhookUid, count }));
}

async function send(
  store: Store,
  { webhook, chosen }: { webhook: ReplayTarget; chosen: readonly Chosen[] },
  context: ReplayContext,
): Promise<PartitionKey[]> {
  const { replay, page, now, session } = context;
  const webhookUid = webhook._id;
  const discardCount = discardCountFor(replay, webhook);
  const ofWebhook = { webhookUid, discardCount };
  if (webhook.ordering === 'resource') {
    return sendInOrder(store, { ...ofWebhook, chosen }, context);
  }
  const stamp = { jobUid: replay._id, jobPage: page, ...requeueOrigin(replay) };
  const requeued = chosen.map(({ event, delivery }) => {
    return { event, ...ofWebhook, partition: delivery?.partition ?? null };
  });
  await requeueDeliveries(store, requeued, { stamp, now, session });
  return [];
}

function requeueOrigin({ createdAt }: ReplayJob): Pick<PageStamp, 'requeuedAs' | 'requeuedAt'> {
  return { requeuedAs: 'replay', requeuedAt: createdAt };
}

// Issues new numbers at the end of the partitions, unless an event's own number is still to come.
async function sendInOrder(
  store: Store,
  {
    webhookUid,
    discardCount,
    chosen,
  }: { webhookUid: string; discardCount: number; chosen: readonly Chosen[] },
  { replay, now, session }: ReplayContext,
): Promise<PartitionKey[]> {
  const inPartitions = chosen.map(({ event, delivery }) => {
    const { appUid, entity, resourceUid } = event;
    return { event, delivery, partition: { appUid, webhookUid, entity, resourceUid } };
  });
  const partitions = inPartitions.map(({ partition }) => partition);
  const settled = await findSettled(store, partitions, session);
  const behind = inPartitions.filter(({ event, delivery, partition }) => {
    const n = event.order.find((each) => each.webhookUid === webhookUid)?.n ?? 0;
    const isAhead = n > (settled.get(partitionId(partition)) ?? 0);
    // The process that recorded its end is about to settle its number.
    const hasEnded = delivery !== null && !isOpen(delivery.state);
    return !isAhead || hasEnded || (delivery?.jobUid ?? null) !== null;
  });
  const numbers = await issueNumbers(
    store,
    behind.map((each) => each.partition),
    session,
  );
  await scheduleSignal(store, partitions.map(partitionId), { now, session });
  for (const [index, { event }] of behind.entries()) {
    const isOther = { $ne: ['$$this.webhookUid', webhookUid] };
    const others = { $filter: { input: '$order', cond: isOther } };
    const order = { $concatArrays: [others, [{ webhookUid, n: numbers[index] ?? 0 }]] };
    await store.events.updateOne({ _id: event._id }, [{ $set: { order } }], { session });
  }
  const stamp = { jobUid: null, jobPage: null, ...requeueOrigin(replay) };
  const requeued = inPartitions.map(({ event, partition }) => {
    return { event, webhookUid, discardCount, partition: partitionId(partition) };
  });
  await requeueDeliveries(store, requeued, { stamp, now, session });
  return [...new Map(partitions.map((each) => [partitionId(each), each])).values()];
}

async function* webhooksOf(store: Store, replay: ReplayJob): AsyncGenerator<ReplayTarget, void> {
  for (let from = 0; from < replay.webhookUids.length; from += webhooksPerPageMax) {
    const webhookUids = replay.webhookUids.slice(from, from + webhooksPerPageMax);
    yield* (await findWebhooks(store, { ...replay, webhookUids })).values();
  }
}

/** The deliveries in one state. `cancelReason` is only set for `cancelled`. */
interface CountedState extends Pick<DeliveryDocument, 'cancelReason'> {
  state: ReplayedState;
  count: number;
}

interface Counted {
  count: number;
  countIsCapped: boolean;
  /** Only states in which there are any. */
  states: CountedState[];
  /** Only webhooks to which anything would be sent. */
  webhooks: ReplayedWebhook[];
}

const { countedDeliveriesMax: countedMax, countedEventsMax, countingMsMax } = jobLimits;

/** Counts what a replay would send now: up to 10,000 deliveries among 100,000 events, for at most 5 s. */
export async function countReplay(store: Store, replay: ReplayJob): Promise<Counted> {
  const counted: Counted = { count: 0, countIsCapped: false, states: [], webhooks: [] };
  let toCheck: number = countedEventsMax;
  const untilMs = performance.now() + countingMsMax;
  for await (const webhook of webhooksOf(store, replay)) {
    for (let after = '', isEnd = false; !isEnd;) {
      const isLate = performance.now() > untilMs;
      if (isLate || toCheck <= 0) return { ...counted, countIsCapped: true };
      const countMax = checkedPerPageMax;
      const scan = await scanReplay(store, { replay, webhook, after, countMax, now: null });
      const chosen = scan.chosen.slice(0, countedMax - counted.count);
      addChosen(counted, { webhookUid: webhook._id, chosen });
      if (chosen.length < scan.chosen.length) return { ...counted, countIsCapped: true };
      toCheck -= scan.checked;
      ({ last: after, isEnd } = scan);
    }
  }
  return counted;
}

function addChosen(
  counted: Counted,
  { webhookUid, chosen }: { webhookUid: string; chosen: readonly Chosen[] },
): void {
  counted.count += chosen.length;
  counted.webhooks = addCounts(counted.webhooks, [{ webhookUid, count: chosen.length }]);
  for (const { delivery } of chosen) {
    const { state, cancelReason } = delivery ?? { state: 'never_attempted', cancelReason: null };
    const same = counted.states.find(
      (each) => each.state === state && each.cancelReason === cancelReason,
    );
    if (same === undefined) counted.states.push({ state, cancelReason, count: 1 });
    else same.count += 1;
  }
}
