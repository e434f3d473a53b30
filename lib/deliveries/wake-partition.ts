import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import { isOpen } from '../model/delivery-state.ts';
import { readProgress } from '../order/partitions.ts';
import type { DeliveryPorts } from './ports.ts';
import type { Found } from './record-outcome.ts';

/**
 * Signals the workflow of a partition if a delivery was left to it or ended outside it, and its number is not settled.
 * It runs in an activity, so it is repeated until it succeeds.
 */
export async function wakePartition(
  { store, signalPartition }: Pick<DeliveryPorts, 'store' | 'signalPartition'>,
  { partitionNumber, caller }: Pick<Found, 'partitionNumber' | 'caller'>,
  { state }: DeliveryOutcome,
): Promise<void> {
  if (partitionNumber === null || caller.kind === 'partition' || state === 'superseded') return;
  const isLeft = state === 'waiting';
  if (!isLeft && isOpen(state)) return;
  const { isSettled, isParked } = await readProgress(store, partitionNumber);
  // The relay signals a parked partition.
  if (!isSettled && !(isLeft && isParked)) await signalPartition(partitionNumber.partition);
}
