// The activity that retries one delivery until it is settled; the server waits between its attempts.
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { attemptDelivery } from '../lib/delivery/attempt-delivery.ts';
import type { DeliveryPorts } from '../lib/delivery/attempt-delivery.ts';
import type { DeliveryOutcome } from '../lib/delivery/outcome.ts';
import { formatDuration } from '../lib/duration.ts';
import type { RetryDeliveryInput } from '../lib/temporal/messages.ts';
import { asFailure, whileHeartbeating } from './heartbeat.ts';

/**
 * Makes the next attempt if it is due. Gives the outcome once the delivery is settled; until then
 * it throws a failure that tells the server when to call again. That failure is BENIGN: a receiver
 * that is down is no fault of ours and must not count as one in logs and metrics.
 */
export async function retryDelivery(
  ports: DeliveryPorts,
  input: RetryDeliveryInput,
): Promise<DeliveryOutcome> {
  const outcome = await whileHeartbeating(async (signal) => {
    try {
      const { redeliveryUid = null, ...key } = input;
      return await attemptDelivery(ports, key, { trigger: 'retry', redeliveryUid, signal });
    } catch (error) {
      throw asFailure(error);
    }
  });
  if (outcome.state !== 'retrying' || outcome.nextAttemptAt === null) return outcome;
  const untilDueMs = Date.parse(outcome.nextAttemptAt) - ports.clock.now().getTime();
  // Temporal's retry timers tick in whole seconds; a delay of nothing would mean "use the policy".
  const waitMs = Math.max(1_000, untilDueMs);
  throw ApplicationFailure.create({
    type: 'RetryDue',
    message: `attempt ${outcome.attemptCount} ended with ${describe(outcome)}; the next is due in ${formatDuration(waitMs)}`,
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: waitMs,
  });
}

function describe(outcome: DeliveryOutcome): string {
  return outcome.status === null ? `a ${outcome.errorClass} fault` : `status ${outcome.status}`;
}
