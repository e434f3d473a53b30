// The lease of a partition: only its holder sends the deliveries in it (ADR 41).
import { randomUUID } from 'node:crypto';
import { attemptLimits, limits } from '../limits.ts';
import { idleMs, partitionId, type PartitionKey } from '../model/partition.ts';
import type { Store } from '../mongo/connect.ts';

const leaseMs = attemptLimits.partitionLeaseMs;

/** `settled` and the end of the lease are as of its last renewal. */
export interface Lease {
  partition: PartitionKey;
  by: string;
  settled: number;
  /** By `performance.now()`, from before the renewal, so that it ends earlier here than for others. */
  untilMs: number;
}

/** Another process has taken over: this one sends and settles nothing more. */
export class LeaseLost extends Error {}

/** Takes the lease of a partition that nobody holds; null where somebody does, or where there is no such partition. */
export async function takeLease(
  store: Store,
  partition: PartitionKey,
  processUid: string,
): Promise<Lease | null> {
  const by = `${processUid}/${randomUUID()}`;
  const untilMs = performance.now() + leaseMs;
  // By the clock of the database alone.
  const isFree = { $or: [{ $eq: ['$lease', null] }, { $lt: ['$lease.until', '$$NOW'] }] };
  const taken = await store.partitions.findOneAndUpdate(
    { _id: partitionId(partition), $expr: isFree },
    [{ $set: renewed(by) }],
    { returnDocument: 'after' },
  );
  return taken === null ? null : { partition, by, settled: taken.settled, untilMs };
}

/** Moves the partition past its next number, and renews the lease. Throws `LeaseLost`. */
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
    // Where the holder is killed. Later than what jobs ask for meanwhile, so that a release can tell.
    signalAt: { $add: ['$$NOW', leaseMs + idleMs] },
  };
}

/** Throws `LeaseLost` unless the holder has the time for a whole request. To be called when nothing is left to wait for. */
export function requireLease({ untilMs, partition }: Lease): void {
  if (performance.now() + limits.attemptTimeoutMs < untilMs) return;
  throw new LeaseLost(`too little is left of the lease of ${partitionId(partition)}`);
}

/**
 * Releases the lease, unless it has run out: the relay then signals the partition. Else it does so at `signalAt`, or at an
 * earlier time that a job has set meanwhile.
 */
export async function releaseLease(
  store: Store,
  { partition, by }: Lease,
  signalAt: Date | null,
): Promise<void> {
  const isHeld = { $gt: ['$lease.until', '$$NOW'] };
  const isSetByJob = { $lt: ['$signalAt', { $add: ['$lease.until', idleMs] }] };
  await store.partitions.updateOne({ _id: partitionId(partition), 'lease.by': by, $expr: isHeld }, [
    { $set: { lease: null, signalAt: { $cond: [isSetByJob, '$signalAt', signalAt] } } },
  ]);
}
