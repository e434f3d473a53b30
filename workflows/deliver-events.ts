import { attemptFirst } from './activity-options.ts';
import { attemptLimits } from '../lib/limits.ts';
import { groupDeliveries } from '../lib/temporal/delivery-groups.ts';
import type {
  AttemptFirstInput,
  DeliverEventsInput,
  DeliverySummary,
} from '../lib/temporal/messages.ts';
import { Progress } from './progress.ts';
import { Retries } from './retries.ts';
import { showingCancellation } from './show-deliveries.ts';
import { inTrace } from './trace-sink.ts';

type Delivery = AttemptFirstInput['deliveries'][number];

/**
 * Delivers events: first attempts by webhook, then one durable retry per failing delivery,
 * independent of other webhooks. Fails with `DeliveriesFailed` if a delivery failed for good, so that operators find it
 * under Failed.
 */
export async function deliverEvents(input: DeliverEventsInput): Promise<DeliverySummary> {
  const { trace } = input;
  return trace === undefined ? deliver(input) : inTrace(trace, () => deliver(input));
}

async function deliver(input: DeliverEventsInput): Promise<DeliverySummary> {
  const progress = new Progress(input.events);
  const retries = new Retries(input);
  const groups = groupDeliveries(input.events, attemptLimits.firstActivitiesMax);
  const ended = settleAll(groups.map((group) => deliverGroup(group, { input, progress, retries })));
  await showingCancellation(ended);
  return progress.end();
}

async function deliverGroup(
  deliveries: Delivery[],
  { input, progress, retries }: { input: DeliverEventsInput; progress: Progress; retries: Retries },
): Promise<void> {
  const { jobUid, trace } = input;
  const { isEachShown } = progress;
  const summary = summarize(deliveries, input.events.length);
  const first = await attemptFirst.executeWithOptions({ summary }, [
    { jobUid, deliveries, isEachShown, trace },
  ]);
  progress.attempted(deliveries, first);
  if (first.later.length === 0) return;
  await settleAll(
    first.later.map(async (outcome) => progress.retried(await retries.retry(outcome))),
  );
}

// The UI cuts off long summaries, so the event is left out where all have the same.
function summarize(deliveries: readonly Delivery[], eventCount: number): string {
  const webhookUids = new Set(deliveries.map(({ webhookUid }) => webhookUid));
  const [only] = webhookUids;
  const to = webhookUids.size === 1 ? only : `${webhookUids.size} webhooks`;
  if (eventCount === 1) return `to ${to}`;
  const events = deliveries.length === 1 ? deliveries[0]?.eventId : `${deliveries.length} events`;
  return `${events} to ${to}`;
}

// A cancel ends waiting retries immediately, and running ones after their attempt, so the workflow waits for them. A
// single promise is returned as it is, because the SDK traces each promise at considerable cost.
async function settleAll(promises: readonly Promise<void>[]): Promise<void> {
  if (promises.length === 1) return promises[0];
  for (const each of await Promise.allSettled(promises)) {
    if (each.status === 'rejected') throw each.reason;
  }
}
