// The lease of a partition: only its holder sends its deliveries (ADR 41).
import { randomUUID } from 'node:crypto';
import { attemptLimits, limits } from '../limits.ts';
import { idleMs, partitionId, type PartitionKey, type PartitionRetry } from '../model/partition.ts';
import type { Store } from '../mongo/connect.ts';

const leaseMs = attemptLimits.partitionLeaseMs;

/** `settled` and `untilMs` are as of the last renewal. */
export interface Lease {
  partition: PartitionKey;
  by: string;
  settled: number;
  /** Whether the partition is one of those that retry. */
  mayRetry: boolean;
  /** By `performance.now()` before the renewal, so that it ends earlier here than in the database. */
  untilMs: number;
}

/** Another process has taken over: this one must send and settle nothing more. */
export class LeaseLost extends Error {}

/** Takes the lease of a partition if nobody holds it; null if somebody does or the partition does not exist. */
export async function takeLease(
  store: Store,
  partition: PartitionKey,
  processUid: string,
): Promise<Lease | null> {
  const by = `${processUid}/${randomUUID()}`;
  const untilMs = performance.now() + leaseMs;
  // Only the clock of the database decides.
  const isFree = { $or: [{ $eq: ['$lease', null] }, { $lt: ['$lease.until', '$$NOW'] }] };
  const taken = await store.partitions.findOneAndUpdate(
    { _id: partitionId(partition), $expr: isFree },
    [{ $set: renewed(by) }],
    { returnDocument: 'after' },
  );
  if (taken === null) return null;
  const { settled, retry } = taken;
  return { partition, by, settled, mayRetry: retry?.isParked === false, untilMs };
}

/** Settles the next number and renews the lease. Throws `LeaseLost`. */
export async function settleNext(store: Store, lease: Lease): Promise<void> {
  const { partition, by, settled } = lease;
  const untilMs = performance.now() + leaseMs;
  const { matchedCount } = await store.partitions.updateOne(
    { _id: partitionId(partition), 'lease.by': by, settled },
    [{ $set: { ...renewed(by), settled: settled + 1 } }],
  );
  if (matchedCount === 0)
    throw new LeaseLost(`${partitionId(partition)} is held by another process`);
  Object.assign(lease, { settled: settled + 1, untilMs });
}

function renewed(by: string): object {
  return {
    lease: { by: { $literal: by }, until: { $add: ['$$NOW', leaseMs] } },
    // For a holder that is killed. Later than the times that jobs set, so that a release can tell them apart.
    signalAt: { $add: ['$$NOW', leaseMs + idleMs] },
  };
}

/** Throws `LeaseLost` unless enough time is left for a whole request. Call it right before the request is written. */
export function requireLease({ untilMs, partition }: Lease): void {
  if (performance.now() + limits.attemptTimeoutMs < untilMs) return;
  throw new LeaseLost(`too little time is left of the lease of ${partitionId(partition)}`);
}

/** What a partition waits for after its lease. Without a retry, it is none of those that retry. */
export interface Release {
  signalAt: Date | null;
  retry?: PartitionRetry | undefined;
}

/**
 * Releases the lease unless it has expired, in which case the relay signals the partition. Keeps an earlier `signalAt`
 * that a job has set meanwhile.
 */
export async function releaseLease(
  store: Store,
  { partition, by }: Lease,
  { signalAt, retry }: Release,
): Promise<void> {
  const isHeld = { $gt: ['$lease.until', '$$NOW'] };
  const isSetByJob = { $lt: ['$signalAt', { $add: ['$lease.until', idleMs] }] };
  await store.partitions.updateOne({ _id: partitionId(partition), 'lease.by': by, $expr: isHeld }, [
    {
      $set: {
        lease: null,
        signalAt: { $cond: [isSetByJob, '$signalAt', signalAt] },
        retry: retry ?? '$$REMOVE',
      },
    },
  ]);
}
