import { dispatchLimits } from '../limits.ts';
import type { DeliveryOutcome, OpenOutcome } from '../model/delivery-outcome.ts';
import { overdueAfter, type PartitionKey, soonAfter } from '../model/partition.ts';
import { findOrProveAbsent, within } from '../mongo/transaction.ts';
import { type Lease, releaseLease, requireLease, settleNext, takeLease } from '../order/lease.ts';
import { hasEnoughRetries } from '../order/parked.ts';
import { findNumbered, isGone, lastIssued } from '../order/partitions.ts';
import type { PartitionStep } from '../temporal/messages.ts';
import { partitionWorkflowId } from '../temporal/names.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import type { DeliveryPorts } from './ports.ts';

// These limits keep a drain well within the timeout of its activity.
const attemptsMax = 100;
const drainMsMax = 15_000;
// How soon to check on a delivery that a job sends; the job also sends a signal.
const sentByJobMs = 60_000;
// The wait of the workflow while another process holds the lease.
const busyMs = 2_000;

/** Nothing is left to send now, the time ran out, or the head has to wait. */
type Stop = 'end' | 'more' | OpenOutcome;

export interface DrainBounds {
  /** Aborts the attempt in flight. */
  signal?: AbortSignal;
  /** Ends the drain after the attempt in flight. */
  cancellation?: AbortSignal;
  /** No attempt begins after this time. */
  msMax?: number;
}

interface Budget extends DrainBounds {
  untilMs: number;
  settled: DeliveryOutcome[];
}

/**
 * Drains a partition: sends its deliveries one after another while it holds the lease. Returns what its workflow has to
 * wait for. A caller that finds the partition busy may leave: the holder checks for new numbers after the release.
 */
export async function attemptInOrder(
  ports: DeliveryPorts,
  partition: PartitionKey,
  bounds: DrainBounds,
): Promise<PartitionStep> {
  const { store, clock, processUid } = ports;
  const untilMs = performance.now() + (bounds.msMax ?? drainMsMax);
  const settled: DeliveryOutcome[] = [];
  const step = { settled, waiting: [], head: null };
  for (;;) {
    const lease = await takeLease(store, partition, processUid);
    if (lease === null) {
      const next = (await isGone(store, partition)) ? 'end' : { waitMs: busyMs };
      return { ...step, next };
    }
    let stop: Stop;
    try {
      stop = await sendNext(ports, lease, { ...bounds, untilMs, settled });
    } catch (error) {
      // A lease that cannot be released expires.
      const signalAt = soonAfter(clock.now());
      await releaseLease(store, lease, { signalAt }).catch(() => undefined);
      throw error;
    }
    if (typeof stop === 'object') return waitForHead(ports, lease, { head: stop, settled });
    await releaseLease(store, lease, { signalAt: stop === 'more' ? soonAfter(clock.now()) : null });
    const isHeld = settled.at(-1)?.state === 'held';
    if (stop === 'end' && !isHeld && (await lastIssued(store, partition)) > lease.settled) continue;
    return { ...step, next: stop };
  }
}

async function sendNext(ports: DeliveryPorts, lease: Lease, budget: Budget): Promise<Stop> {
  const { partition } = lease;
  const { signal, cancellation = signal, untilMs, settled } = budget;
  for (let count = 0; count < attemptsMax; count += 1) {
    const n = lease.settled + 1;
    if (n > (await lastIssued(ports.store, partition))) return 'end';
    if (cancellation?.aborted || performance.now() >= untilMs) return 'more';
    const head = await findOrProveAbsent(ports.store, async (session) => {
      const range = { from: n, countMax: 1, ...within(session) };
      return (await findNumbered(ports.store, partition, range))[0] ?? null;
    });
    // Without an event, the number was deleted by the retention or moved to a later one.
    if (head !== null) {
      const { appUid, webhookUid } = partition;
      const key = { appUid, webhookUid, eventId: head.eventId };
      const beforeRequest = () => requireLease(lease);
      const caller = { kind: 'partition' } as const;
      const outcome = await attemptDelivery(ports, key, { caller, signal, beforeRequest });
      if (outcome.state === 'later' || outcome.state === 'continued') return outcome;
      settled.push(outcome);
      if (outcome.state === 'held') return 'end';
    }
    await settleNext(ports.store, lease);
  }
  return 'more';
}

// Only failures and throttled attempts are parked: a slot is reserved, and a job signals when it has sent.
async function waitForHead(
  { store, clock }: DeliveryPorts,
  lease: Lease,
  { head, settled }: { head: OpenOutcome; settled: DeliveryOutcome[] },
): Promise<PartitionStep> {
  const { partition, mayRetry } = lease;
  const nowMs = clock.now().getTime();
  const waitMs =
    head.state === 'continued' ? sentByJobMs : Math.max(1, Date.parse(head.at) - nowMs);
  const isRetry = head.state === 'later' && head.why !== 'rateLimited';
  const isParked = isRetry && !mayRetry && (await hasEnoughRetries(store, partition));
  const dueAt = new Date(nowMs + waitMs);
  const signalAt = isParked ? null : overdueAfter(dueAt);
  await releaseLease(store, lease, {
    signalAt,
    ...(isRetry ? { retry: { dueAt, isParked } } : {}),
  });
  if (isParked) {
    const continuesIn = partitionWorkflowId(partition);
    const parked: DeliveryOutcome = { ...head, state: 'continued', continuesIn };
    return { settled: [...settled, parked], waiting: [], head: null, next: 'end' };
  }
  const range = { from: lease.settled + 1, countMax: dispatchLimits.idsPerSearchAttributeMax };
  const waiting = await findNumbered(store, partition, range);
  return { settled, waiting: waiting.map(({ eventId }) => eventId), head, next: { waitMs } };
}
