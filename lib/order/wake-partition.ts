import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import type { Store } from '../mongo/connect.ts';
import type { SignalPartition } from '../temporal/signal-partition.ts';
import { readProgress } from './partitions.ts';

/**
 * Signals the workflow of a partition if its number is not settled although a delivery was left to it, or ended outside
 * it. Call it in the activity that made the outcome, which is repeated until the signal succeeds.
 */
export async function wakePartition(
  { store, signalPartition }: { store: Store; signalPartition: SignalPartition },
  { state, place }: DeliveryOutcome,
): Promise<void> {
  if (place === undefined || state === 'later' || state === 'held') return;
  const { isSettled, isParked } = await readProgress(store, place);
  // The relay signals a parked partition.
  if (!isSettled && !(state === 'continued' && isParked)) await signalPartition(place.partition);
}
