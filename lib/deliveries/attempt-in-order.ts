import { dispatchLimits } from '../limits.ts';
import type { PartitionKey } from '../model/partition.ts';
import { findNumbered } from '../order/partitions.ts';
import type { PartitionStep } from '../temporal/messages.ts';
import { partitionWorkflowId } from '../temporal/names.ts';
import { drain, type DrainBounds } from './drain.ts';
import type { DeliveryPorts } from './ports.ts';

// The wait of the workflow while another process holds the lease.
const busyMs = 2_000;

/** Drains a partition and returns what its workflow has to wait for. */
export async function attemptInOrder(
  ports: DeliveryPorts,
  partition: PartitionKey,
  bounds: DrainBounds,
): Promise<PartitionStep> {
  const { settled, stop, n } = await drain(ports, partition, bounds);
  const step = { settled, waiting: [], head: null };
  if (stop === 'more') return { ...step, next: 'more' };
  if (stop === 'busy') return { ...step, next: { waitMs: busyMs } };
  if (stop === 'nothing' || stop === 'held') return { ...step, next: 'end' };
  const { waitMs, head, isParked = false } = stop;
  if (isParked) {
    const continuesIn = partitionWorkflowId(partition);
    const left = { ...head, state: 'continued', continuesIn } as const;
    return { ...step, settled: [...settled, left], next: 'end' };
  }
  const countMax = dispatchLimits.idsPerSearchAttributeMax;
  const waiting = await findNumbered(ports.store, partition, { from: n, countMax });
  return { settled, next: { waitMs }, head, waiting: waiting.map(({ eventId }) => eventId) };
}
