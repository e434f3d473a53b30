// The dry run of a replay.
import { jobLimits } from '../../limits.ts';
import type { DeliveryDocument } from '../../model/delivery.ts';
import type { ReplayedState, ReplayedWebhook, ReplayJob } from '../../model/job.ts';
import type { Store } from '../../mongo/connect.ts';
import { type Chosen, findTargets, type TargetWebhook } from '../chosen-events.ts';
import { addCounts, checkedMaxOf, scanReplay, webhooksPerPageMax } from './replay-scan.ts';

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
    const countMax = checkedMaxOf(webhook);
    for (let after = '', isEnd = false; !isEnd;) {
      const isLate = performance.now() > untilMs;
      if (isLate || toCheck <= 0) return { ...counted, countIsCapped: true };
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
