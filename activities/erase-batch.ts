// The activity that takes the payloads of one stretch of an erasure's events away.
import { eraseStretch } from '../lib/delivery/erase.ts';
import type { DeliveryPorts } from '../lib/delivery/ports.ts';
import type { EraseBatchInput, ErasedStretch } from '../lib/temporal/messages.ts';
import { asFailure, whileHeartbeating } from './heartbeat.ts';

/** Goes on with an erasure, and tells whether there is more, now or later. Of one that is done there is not. */
export async function eraseBatch(
  ports: Pick<DeliveryPorts, 'store' | 'clock' | 'wakeLane'>,
  { erasureUid }: EraseBatchInput,
): Promise<ErasedStretch> {
  return whileHeartbeating(async () => {
    try {
      return await eraseStretch(ports, ports.clock.now(), erasureUid);
    } catch (error) {
      throw asFailure(error);
    }
  });
}
