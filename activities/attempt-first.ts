// The activity that makes the first attempts of up to 100 deliveries at once.
import { attemptDelivery } from '../lib/deliveries/attempt-delivery.ts';
import type { Asker } from '../lib/deliveries/decide.ts';
import type { DeliveryPorts } from '../lib/deliveries/ports.ts';
import type { DeliveryOutcome } from '../lib/model/delivery-outcome.ts';
import type { AttemptFirstInput } from '../lib/temporal/messages.ts';
import { asFailure, whileHeartbeating } from './heartbeat.ts';

/**
 * Attempts every delivery in parallel and gives their outcomes. What is throttled is
 * left to the retries, so that a saturated webhook keeps no place among the first attempts. When our own
 * side failed for some of them it throws after all have ended: the repeat then finds the others
 * recorded already.
 */
export async function attemptFirst(
  ports: DeliveryPorts,
  input: AttemptFirstInput,
): Promise<DeliveryOutcome[]> {
  return whileHeartbeating(async (signal) => {
    const results = await Promise.allSettled(
      input.deliveries.map(({ eventId, webhookUid }) =>
        attemptDelivery(
          ports,
          { appUid: input.appUid, eventId, webhookUid },
          { asker: askerOf(input), avoidsSaturated: true, signal },
        ),
      ),
    );
    return results.map((result) => {
      if (result.status === 'rejected') throw asFailure(result.reason);
      return result.value;
    });
  });
}

/** Returns who asks for deliveries: the job whose page they are, or their events' own workflow. */
export function askerOf({ jobUid }: { jobUid?: string | undefined }): Asker {
  return jobUid === undefined ? { kind: 'event' } : { kind: 'job', jobUid };
}
