import { cancellationSignal, sleep } from '@temporalio/activity';
import { attemptDelivery } from '../lib/deliveries/attempt-delivery.ts';
import type { DeliveryPorts } from '../lib/deliveries/ports.ts';
import type { DeliveryOutcome, LaterOutcome } from '../lib/model/delivery-outcome.ts';
import { wakePartition } from '../lib/order/wake-partition.ts';
import { hasFailed } from '../lib/temporal/delivery-summary.ts';
import { describeAttempt } from '../lib/temporal/describe-attempt.ts';
import { deliveryFailed, laterFailure } from '../lib/temporal/failures.ts';
import type { RetryDeliveryInput } from '../lib/temporal/messages.ts';
import { callerOf } from './attempt-first.ts';
import { ignoringUserCancel, runActivity } from './run-activity.ts';

// The first call comes right after the first attempt, and Temporal's retry timers may fire early.
const inlineWaitMsMax = 1_000;

/**
 * Makes the next attempt, after a wait of up to a second, and returns the outcome of a settled delivery. Throws the
 * time of the next call, or the outcome of a delivery that failed for good, so that the Temporal UI shows it red.
 */
export async function retryDelivery(
  ports: DeliveryPorts,
  input: RetryDeliveryInput,
  trace?: string,
): Promise<DeliveryOutcome> {
  const { appUid, eventId, webhookUid, left } = input;
  if (left !== undefined && untilDue(ports, left) > inlineWaitMsMax)
    throw laterFailure(left, untilDue(ports, left));
  const key = { appUid, eventId, webhookUid };
  const outcome = await runActivity(async (cancellation) => {
    const options = { caller: callerOf(input), signal: ignoringUserCancel(cancellation) };
    let found = await attemptDelivery(ports, key, options);
    // Each call has time for one attempt, so a delivery attempted just now is left to the next call.
    if (found.state === 'later' && found.attemptsMax === null) {
      const waitMs = untilDue(ports, found);
      if (waitMs > inlineWaitMsMax) return found;
      // A timer may fire a millisecond early by the clock.
      await sleep(Math.max(0, waitMs) + 1);
      found = await attemptDelivery(ports, key, options);
    }
    await wakePartition(ports, found);
    return found;
  }, trace);
  if (outcome.state === 'later') {
    cancellationSignal().throwIfAborted();
    throw laterFailure(outcome, untilDue(ports, outcome));
  }
  if (!hasFailed(outcome)) return outcome;
  throw deliveryFailed(`${outcome.state} after ${describeAttempt(outcome)}`, outcome);
}

function untilDue({ clock }: Pick<DeliveryPorts, 'clock'>, { at }: LaterOutcome): number {
  return Date.parse(at) - clock.now().getTime();
}
