import { type DeliveryOutcome, isSettled } from '../model/delivery-outcome.ts';
import { readProgress } from '../order/partitions.ts';
import { partitionWorkflowId } from '../temporal/names.ts';
import type { DeliveryPorts } from './ports.ts';
import type { Found } from './record-outcome.ts';

/**
 * Signals the workflow of a partition if a delivery was left to it or ended outside it, and its number is not settled.
 * It runs in an activity, so it is repeated until it succeeds.
 */
export async function wakePartition(
  { store, signalPartition }: Pick<DeliveryPorts, 'store' | 'signalPartition'>,
  { partitionNumber, caller }: Pick<Found, 'partitionNumber' | 'caller'>,
  outcome: DeliveryOutcome,
): Promise<void> {
  if (partitionNumber === null || caller.kind === 'partition') return;
  const { partition } = partitionNumber;
  const isLeft =
    outcome.state === 'continued' && outcome.continuesIn === partitionWorkflowId(partition);
  if (!isLeft && !isSettled(outcome)) return;
  const progress = await readProgress(store, partitionNumber);
  // The relay signals a parked partition.
  if (!progress.isSettled && !(isLeft && progress.isParked)) await signalPartition(partition);
}
