import { attemptDelivery } from '../lib/deliveries/attempt-delivery.ts';
import type { Asker } from '../lib/deliveries/decide.ts';
import type { DeliveryPorts } from '../lib/deliveries/ports.ts';
import type { DeliveryOutcome } from '../lib/model/delivery-outcome.ts';
import type { AttemptFirstInput } from '../lib/temporal/messages.ts';
import { runActivity } from './run-activity.ts';

/**
 * Attempts up to 100 deliveries in parallel and returns their outcomes; throttled ones are left to the retries.
 * Throws its own fault only after all have ended: the repeat then finds the others recorded.
 */
export async function attemptFirst(
  ports: DeliveryPorts,
  input: AttemptFirstInput,
): Promise<DeliveryOutcome[]> {
  const { appUid, deliveries } = input;
  return runActivity(async (signal) => {
    const options = { asker: askerOf(input), avoidsSaturated: true, signal };
    const results = await Promise.allSettled(
      deliveries.map((delivery) => attemptDelivery(ports, { appUid, ...delivery }, options)),
    );
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
  });
}

/** Returns who asks for deliveries: the job whose page they are, or their events' own workflow. */
export function askerOf({ jobUid }: Pick<AttemptFirstInput, 'jobUid'>): Asker {
  return jobUid === undefined ? { kind: 'event' } : { kind: 'job', jobUid };
}
