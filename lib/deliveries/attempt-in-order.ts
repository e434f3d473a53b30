import { dispatchLimits } from '../limits.ts';
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import { isOpen } from '../model/delivery-state.ts';
import type { PartitionKey } from '../model/partition.ts';
import { findOrProveAbsent } from '../mongo/read-proven.ts';
import { within } from '../mongo/transaction.ts';
import { findNumbered, nextNumber } from '../order/partitions.ts';
import type { PartitionStep } from '../temporal/messages.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import type { DeliveryPorts } from './ports.ts';
import { throttledDelayMs } from './retry-schedule.ts';

// Both keep a step well within the timeout of its activity.
const attemptsPerStepMax = 100;
const stepMsMax = 15_000;
// How soon to check again what another attempts, and what a job sends; both signal when they settle it.
const checkAgainMs = 2_000;
const sentByJobMs = 60_000;

interface StepSignals {
  /** Cuts off the attempt under way. */
  signal: AbortSignal;
  /** Ends the step after the attempt under way. */
  cancellation?: AbortSignal;
}

/** Attempts the deliveries of a partition in order. All state is in the database, so a repeat goes on where it stopped. */
export async function attemptInOrder(
  ports: DeliveryPorts,
  partition: PartitionKey,
  { signal, cancellation = signal }: StepSignals,
): Promise<PartitionStep> {
  const until = performance.now() + stepMsMax;
  const settled: DeliveryOutcome[] = [];
  const nothing = { settled, waiting: [], head: null };
  for (let count = 0; count < attemptsPerStepMax && performance.now() < until; count += 1) {
    if (cancellation.aborted) break;
    const n = await nextNumber(ports.store, partition);
    if (n === null) return { ...nothing, next: 'end' };
    const head = await findOrProveAbsent(ports.store, async (session) => {
      const place = { from: n, countMax: 1, ...within(session) };
      return (await findNumbered(ports.store, partition, place))[0] ?? null;
    });
    if (head === null) {
      // Removed as too old, or sent again since under a later number.
      await ports.records.settleTurn({ turn: { partition, n }, now: ports.clock.now() });
      continue;
    }
    const { appUid, webhookUid } = partition;
    const key = { appUid, webhookUid, eventId: head.eventId };
    const caller = { kind: 'partition' } as const;
    const outcome = await attemptDelivery(ports, key, { caller, signal });
    const { state } = outcome;
    if (state === 'held') return { ...nothing, next: 'end' };
    if (state === 'superseded' || state === 'waiting' || isOpen(state)) {
      const waitMs = untilNextCheckMs(ports, outcome);
      const countMax = dispatchLimits.idsPerSearchAttributeMax;
      const waiting = await findNumbered(ports.store, partition, { from: n, countMax });
      return {
        next: { waitMs },
        settled,
        head: outcome,
        waiting: waiting.map(({ eventId }) => eventId),
      };
    }
    settled.push(outcome);
  }
  return { ...nothing, next: 'more' };
}

function untilNextCheckMs(
  { clock, random }: Pick<DeliveryPorts, 'clock' | 'random'>,
  { state, nextAttemptAt, dueAt }: DeliveryOutcome,
): number {
  const nowMs = clock.now().getTime();
  if (state === 'superseded') return sentByJobMs;
  if (state !== 'retrying') return checkAgainMs;
  if (nextAttemptAt !== null) return Math.max(1, Date.parse(nextAttemptAt) - nowMs);
  const dueForMs = dueAt === undefined ? 0 : nowMs - Date.parse(dueAt);
  return throttledDelayMs(dueForMs, random());
}
