// The activity that removes one batch of what is old.
import type { DeliveryPorts } from '../lib/delivery/ports.ts';
import { tidyUp } from '../lib/delivery/tidy-up.ts';
import type { TidiedBatch } from '../lib/temporal/messages.ts';
import { asFailure, whileHeartbeating } from './heartbeat.ts';

/**
 * Removes a batch, and tells where the next begins and whether there is more. A workflow from before
 * this was told where to begin names nothing.
 */
export async function tidyUpBatch(
  ports: Pick<DeliveryPorts, 'store' | 'clock' | 'wakeLane' | 'retention'>,
  { after = '', heldAfterMs }: { after?: string; heldAfterMs?: number | undefined } = {},
): Promise<TidiedBatch> {
  return whileHeartbeating(async () => {
    try {
      return await tidyUp(ports, { now: ports.clock.now(), after, heldAfterMs });
    } catch (error) {
      throw asFailure(error);
    }
  });
}
