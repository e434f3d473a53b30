import type { DeliveryOutcome, OpenOutcome } from '../model/delivery-outcome.ts';
import { overdueAfter, type PartitionKey, soonAfter } from '../model/partition.ts';
import { findOrProveAbsent } from '../mongo/read-proven.ts';
import { within } from '../mongo/transaction.ts';
import {
  type Lease,
  type Release,
  releaseLease,
  requireLease,
  settleNext,
  takeLease,
} from '../order/lease.ts';
import { hasEnoughRetries } from '../order/parked.ts';
import { findNumbered, isGone, lastIssued } from '../order/partitions.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import type { DeliveryPorts } from './ports.ts';

// These limits keep a drain well within the timeout of its activity.
const attemptsMax = 100;
const drainMsMax = 15_000;
// How soon to check on a delivery that a job sends; the job also sends a signal.
const sentByJobMs = 60_000;

/** Why a drain stopped: `busy`: another process sends; `more`: its time ran out; an object: the head has to wait. */
export type DrainStop = 'nothing' | 'held' | 'busy' | 'more' | HeadWait;

interface HeadWait {
  waitMs: number;
  head: OpenOutcome;
  /** Nobody retries the head until the relay lets the partition retry. */
  isParked?: boolean;
}

export interface Drained {
  /** Ends with the held head if `stop` is `held`. */
  settled: DeliveryOutcome[];
  stop: DrainStop;
  /** The next number to send. */
  n: number;
}

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
 * Sends the deliveries of a partition one after another while it holds the lease. A caller that finds the partition
 * busy may leave: the holder checks for new numbers after the release.
 */
export async function drain(
  ports: DeliveryPorts,
  partition: PartitionKey,
  bounds: DrainBounds,
): Promise<Drained> {
  const { store, clock, processUid } = ports;
  const untilMs = performance.now() + (bounds.msMax ?? drainMsMax);
  const budget: Budget = { ...bounds, untilMs, settled: [] };
  for (;;) {
    const lease = await takeLease(store, partition, processUid);
    if (lease === null) {
      const stop = (await isGone(store, partition)) ? 'nothing' : 'busy';
      return { settled: budget.settled, stop, n: 0 };
    }
    let stop: DrainStop;
    try {
      stop = await sendNext(ports, lease, budget);
    } catch (error) {
      // A lease that cannot be released expires.
      const signalAt = soonAfter(clock.now());
      await releaseLease(store, lease, { signalAt }).catch(() => undefined);
      throw error;
    }
    stop = await parkIfMany(store, lease, stop);
    await releaseLease(store, lease, releaseFor(stop, clock.now()));
    const hasMore = stop === 'nothing' && (await lastIssued(store, partition)) > lease.settled;
    if (!hasMore) return { settled: budget.settled, stop, n: lease.settled + 1 };
  }
}

async function sendNext(ports: DeliveryPorts, lease: Lease, budget: Budget): Promise<DrainStop> {
  const { partition } = lease;
  const { signal, cancellation = signal, untilMs, settled } = budget;
  for (let count = 0; count < attemptsMax; count += 1) {
    const n = lease.settled + 1;
    if (n > (await lastIssued(ports.store, partition))) return 'nothing';
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
      if (outcome.state === 'later' || outcome.state === 'continued') {
        return { waitMs: untilNextCheckMs(ports, outcome), head: outcome };
      }
      settled.push(outcome);
      if (outcome.state === 'held') return 'held';
    }
    await settleNext(ports.store, lease);
  }
  return 'more';
}

// Only failures and throttled attempts are parked: a slot is reserved, and a job signals when it has sent.
async function parkIfMany(
  store: DeliveryPorts['store'],
  { partition, mayRetry }: Lease,
  stop: DrainStop,
): Promise<DrainStop> {
  if (typeof stop !== 'object' || !isRetry(stop) || mayRetry) return stop;
  return { ...stop, isParked: await hasEnoughRetries(store, partition) };
}

function isRetry({ head }: HeadWait): boolean {
  return head.state === 'later' && head.why !== 'rateLimited';
}

function releaseFor(stop: DrainStop, now: Date): Release {
  if (typeof stop !== 'object') return { signalAt: stop === 'more' ? soonAfter(now) : null };
  const { waitMs, isParked = false } = stop;
  const dueAt = new Date(now.getTime() + waitMs);
  const signalAt = isParked ? null : overdueAfter(dueAt);
  return { signalAt, ...(isRetry(stop) ? { retry: { dueAt, isParked } } : {}) };
}

function untilNextCheckMs({ clock }: Pick<DeliveryPorts, 'clock'>, head: HeadWait['head']): number {
  if (head.state === 'continued') return sentByJobMs;
  return Math.max(1, Date.parse(head.at) - clock.now().getTime());
}
