import { jobLimits } from '../limits.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { ReplayedState, ReplayedWebhook, ReplayJob } from '../model/job.ts';
import type { PartitionKey } from '../model/partition.ts';
import { type Store } from '../mongo/connect.ts';
import { findTargets, type TargetWebhook } from './chosen-events.ts';
import type { PageContext, TakenPage } from './jobs.ts';
import { requeueChosen } from './requeue-chosen.ts';
import type { TakenDelivery } from './taken-by-job.ts';
import type { DeliveryPorts } from '../deliveries/ports.ts';
import { checkedMaxOf, type Chosen, type Scan, type Scanning, scanReplay } from './replay-scan.ts';

// These limits bound the transaction of a page, in addition to its rate.
const checkedPerPageMax = 1_000;
const webhooksPerPageMax = 50;

/** Takes the next deliveries of a replay, at most `perSecond`, one webhook after another. */
export async function takeReplayPage(
  { store }: Pick<DeliveryPorts, 'store'>,
  replay: ReplayJob,
  context: PageContext,
): Promise<TakenPage> {
  const { webhookUids, perSecond } = replay;
  const { now, session } = context;
  const next = webhookUids.slice(replay.webhooksDone, replay.webhooksDone + webhooksPerPageMax);
  const webhooks = await findTargets(store, { ...replay, webhookUids: next }, session);
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
      const bounds = { after: cursor, room, toCheck: Math.min(toCheck, checkedMaxOf(webhook)) };
      const found = await chooseNext(store, { replay, webhook, now, session }, bounds);
      const { chosen, isEnd } = found;
      const requeue = { job: replay, webhook, chosen };
      partitions.push(...(await requeueChosen(store, requeue, context)));
      takenByJob.push(...chosen.flatMap(({ delivery }) => delivery ?? []));
      sent.push({ webhookUid, count: chosen.length });
      cursor = found.last;
      room -= chosen.length;
      toCheck -= found.checked;
      if (!isEnd) break;
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

// Reads one event more than there is room for, to see the end, and twice as many each time, until enough match.
async function chooseNext(
  store: Store,
  scanning: Omit<Scanning, 'after' | 'countMax'>,
  { after, room, toCheck }: { after: string; room: number; toCheck: number },
): Promise<Scan> {
  const found: Scan = { chosen: [], checked: 0, last: after, isEnd: false };
  for (let size = room + 1; ; size *= 2) {
    const countMax = Math.min(size, toCheck - found.checked);
    const scan = await scanReplay(store, { ...scanning, after: found.last, countMax });
    found.chosen.push(...scan.chosen);
    found.checked += scan.checked;
    const isCut = found.chosen.length > room;
    const chosen = found.chosen.slice(0, room);
    found.last = isCut ? (chosen.at(-1)?.event._id ?? after) : scan.last;
    found.isEnd = scan.isEnd && !isCut;
    // A short read is the end, or reaches events that are still being written.
    const isLast = scan.checked < countMax || found.checked >= toCheck;
    if (isLast || chosen.length === room) return { ...found, chosen };
  }
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

async function* webhooksOf(store: Store, replay: ReplayJob): AsyncGenerator<TargetWebhook, void> {
  for (let from = 0; from < replay.webhookUids.length; from += webhooksPerPageMax) {
    const webhookUids = replay.webhookUids.slice(from, from + webhooksPerPageMax);
    yield* (await findTargets(store, { ...replay, webhookUids })).values();
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
  /** The earliest next attempt of the `retrying` ones. */
  nextAttemptAt: Date | null;
  /** Only webhooks to which anything would be sent. */
  webhooks: ReplayedWebhook[];
}

const { countedDeliveriesMax: countedMax, countedEventsMax, countingMsMax } = jobLimits;

/** Counts what a replay would send now: up to 10,000 deliveries among 100,000 events, for at most 5 s. */
export async function countReplay(store: Store, replay: ReplayJob): Promise<Counted> {
  const counted: Counted = {
    count: 0,
    countIsCapped: false,
    states: [],
    nextAttemptAt: null,
    webhooks: [],
  };
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
    const next = state === 'retrying' ? (delivery?.nextAttemptAt ?? null) : null;
    const earliest = counted.nextAttemptAt;
    if (next !== null && (earliest === null || next < earliest)) counted.nextAttemptAt = next;
    const same = counted.states.find(
      (each) => each.state === state && each.cancelReason === cancelReason,
    );
    if (same === undefined) counted.states.push({ state, cancelReason, count: 1 });
    else same.count += 1;
  }
}
