// A step along a partition: its deliveries one after the other, until one has to wait.
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import { isOpen } from '../model/delivery-state.ts';
import type { PartitionKey } from '../model/partition.ts';
import { findNumbered, nextNumber, settleTurn } from './partitions.ts';
import type { PartitionStep } from '../temporal/messages.ts';
import { idsPerSearchAttributeMax } from '../temporal/names.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import type { DeliveryPorts } from './ports.ts';
import { throttledDelayMs } from './retry-schedule.ts';

// Both keep a step well within the time that its activity has.
const attemptsPerStepMax = 100;
const stepMsMax = 15_000;
/** How soon to look again at what somebody else attempts, and at what a job sends; whoever settles it signals. */
const checkAgainMs = 2_000;
const sentByJobMs = 60_000;

/**
 * Attempts what waits in a partition in the order of its numbers, each after the one before is settled. All
 * that a step needs to know is in the database, so repeating it after a crash goes on where it stopped.
 */
export async function attemptInOrder(
  ports: DeliveryPorts,
  partition: PartitionKey,
  signal: AbortSignal,
): Promise<PartitionStep> {
  const until = performance.now() + stepMsMax;
  const settled: DeliveryOutcome[] = [];
  const nothing = { settled, waiting: [], isFailing: false };
  for (let count = 0; count < attemptsPerStepMax && performance.now() < until; count += 1) {
    const n = await nextNumber(ports.store, partition);
    if (n === null) return { ...nothing, next: 'end' };
    const [head] = await findNumbered(ports.store, partition, { from: n, countMax: 1 });
    if (head === undefined) {
      // Removed as too old, or sent again since under a later number.
      await settleTurn(ports.store, { partition, n }, ports.clock.now());
      continue;
    }
    const { appUid, webhookUid } = partition;
    const key = { appUid, webhookUid, eventId: head.eventId };
    const asker = { kind: 'partition' } as const;
    const outcome = await attemptDelivery(ports, key, { asker, avoidsSaturated: true, signal });
    if (outcome.state === 'held') return { ...nothing, next: 'end' };
    const { state } = outcome;
    if (state === 'superseded' || state === 'waiting' || isOpen(state)) {
      const waitMs = untilNextCheckMs(ports, outcome);
      const isFailing = outcome.attemptCount > 0;
      return {
        next: { waitMs },
        settled,
        isFailing,
        waiting: await waitingIn(ports, partition, n),
      };
    }
    settled.push(outcome);
  }
  return { ...nothing, next: 'more' };
}

async function waitingIn(
  { store }: Pick<DeliveryPorts, 'store'>,
  partition: PartitionKey,
  from: number,
): Promise<string[]> {
  const waiting = await findNumbered(store, partition, {
    from,
    countMax: idsPerSearchAttributeMax,
  });
  return waiting.map(({ eventId }) => eventId);
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
