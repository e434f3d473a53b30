import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import type { Store } from '../mongo/connect.ts';
import { partitionWorkflowId } from '../temporal/names.ts';
import type { SignalPartition } from '../temporal/signal-partition.ts';
import { readProgress } from './partitions.ts';

/**
 * Signals the workflow of a partition if its number is not settled although a delivery was left to it, or ended outside
 * it. Call it in the activity that made the outcome, which is repeated until the signal succeeds.
 */
export async function wakePartition(
  { store, signalPartition }: { store: Store; signalPartition: SignalPartition },
  outcome: DeliveryOutcome,
): Promise<void> {
  const { state, partitionNumber } = outcome;
  if (partitionNumber === undefined || state === 'later' || state === 'held') return;
  const { partition } = partitionNumber;
  // The job that sends it wakes the partition afterwards.
  if (state === 'continued' && outcome.continuesIn !== partitionWorkflowId(partition)) return;
  const { isSettled, isParked } = await readProgress(store, partitionNumber);
  // The relay signals a parked partition.
  if (!isSettled && !(state === 'continued' && isParked)) await signalPartition(partition);
}
