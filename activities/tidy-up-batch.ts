// The activity that removes one batch of what is old.
import type { DeliveryPorts } from '../lib/delivery/ports.ts';
import { tidyUp } from '../lib/delivery/tidy-up.ts';
import type { TidyUpBatch } from '../lib/temporal/messages.ts';
import { asFailure } from './heartbeat.ts';

/** Removes a batch and tells whether there is more. */
export async function tidyUpBatch({
  store,
  clock,
  retention,
}: Pick<DeliveryPorts, 'store' | 'clock' | 'retention'>): Promise<TidyUpBatch> {
  try {
    return await tidyUp(store, retention, clock.now());
  } catch (error) {
    throw asFailure(error);
  }
}
