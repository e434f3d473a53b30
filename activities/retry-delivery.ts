// The activity that retries one delivery until it is settled; the server waits between its attempts.
import { cancellationSignal } from '@temporalio/activity';
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
} from '@temporalio/common';
import { attemptDelivery } from '../lib/delivery/attempt-delivery.ts';
import type { DeliveryPorts } from '../lib/delivery/ports.ts';
import type { DeliveryOutcome } from '../lib/delivery/outcome.ts';
import { formatDuration } from '../lib/duration.ts';
import type { RetryDeliveryInput } from '../lib/temporal/messages.ts';
import { asFailure, whileHeartbeating } from './heartbeat.ts';

/**
 * Makes the next attempt if it is due. Gives the outcome once the delivery is settled; until then
 * it throws a failure that tells the server when to call again. That failure is BENIGN: a receiver
 * that is down is no fault of ours and must not count as one in logs and metrics. Cancelled, it ends
 * after the attempt under way.
 */
export async function retryDelivery(
  ports: DeliveryPorts,
  input: RetryDeliveryInput,
): Promise<DeliveryOutcome> {
  const outcome = await whileHeartbeating(async (signal) => {
    try {
      const { inLane = false, redeliveryUid = null, ...key } = input;
      const stop = unlessAskedFor(signal);
      const options = { inLane, redeliveryUid, signal: stop } as const;
      return await attemptDelivery(ports, key, options);
    } catch (error) {
      throw asFailure(error);
    }
  });
  if (outcome.state !== 'retrying' || outcome.nextAttemptAt === null) return outcome;
  cancellationSignal().throwIfAborted();
  const untilDueMs = Date.parse(outcome.nextAttemptAt) - ports.clock.now().getTime();
  // Temporal's retry timers tick in whole seconds; a delay of nothing would mean "use the policy".
  const waitMs = Math.max(1_000, untilDueMs);
  throw ApplicationFailure.create({
    type: 'RetryDue',
    message: `${describe(outcome)}; the next is due in ${formatDuration(waitMs)}`,
    category: ApplicationFailureCategory.BENIGN,
    nextRetryDelay: waitMs,
  });
}

/**
 * Gives a signal that does not abort when the workflow asks for the activity's end: an attempt under way
 * is then made and recorded, where cutting it off would send it again from the next run of a lane.
 */
function unlessAskedFor(cancellation: AbortSignal): AbortSignal {
  const stop = new AbortController();
  const pass = (): void => {
    const reason: unknown = cancellation.reason;
    const isAskedFor = reason instanceof CancelledFailure && reason.message === 'CANCELLED';
    if (!isAskedFor) stop.abort(reason);
  };
  cancellation.addEventListener('abort', pass, { once: true });
  if (cancellation.aborted) pass();
  return stop.signal;
}

/** Says which attempt ended how, for operators: the UI's own count says nothing of the schedule's end. */
function describe(outcome: DeliveryOutcome): string {
  const { attemptCount, attemptsMax, host, status, errorClass } = outcome;
  const attempt = `attempt ${attemptCount}${attemptsMax === null ? '' : ` of ${attemptsMax}`}`;
  const ending = status === null ? `a ${errorClass} fault` : `status ${status}`;
  return `${attempt}${host === null ? '' : ` at ${host}`} ended with ${ending}`;
}
