import { Context, cancellationSignal, sleep } from '@temporalio/activity';
import type { ApplicationFailure } from '@temporalio/common';
import { attemptDelivery } from '../lib/deliveries/attempt-delivery.ts';
import type { DeliveryPorts } from '../lib/deliveries/ports.ts';
import { throttledDelayMs } from '../lib/deliveries/retry-schedule.ts';
import { formatDuration } from '../lib/platform/duration.ts';
import type { DeliveryOutcome } from '../lib/model/delivery-outcome.ts';
import { hasFailed } from '../lib/temporal/delivery-summary.ts';
import { describeAttempt } from '../lib/temporal/describe-attempt.ts';
import { receiverFailure } from '../lib/temporal/failures.ts';
import type { RetryDeliveryInput } from '../lib/temporal/messages.ts';
import { deliveryFailedType } from '../lib/temporal/names.ts';
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
  if (left !== undefined && (untilDue(ports, left) ?? 0) > inlineWaitMsMax) {
    throw callAgain(ports, left);
  }
  const key = { appUid, eventId, webhookUid };
  const outcome = await runActivity(async (cancellation) => {
    const options = { caller: callerOf(input), signal: ignoringUserCancel(cancellation) };
    const found = await attemptDelivery(ports, key, options);
    // Each call has time for one attempt, so a delivery attempted just now is left to the next call.
    const untilDueMs = found.attemptsMax === null ? untilDue(ports, found) : null;
    if (untilDueMs === null || untilDueMs > inlineWaitMsMax) return found;
    // A timer may fire a millisecond early by the clock.
    await sleep(Math.max(0, untilDueMs) + 1);
    return attemptDelivery(ports, key, options);
  }, trace);
  if (outcome.state === 'retrying') {
    cancellationSignal().throwIfAborted();
    throw callAgain(ports, outcome);
  }
  if (!hasFailed(outcome)) return outcome;
  throw receiverFailure({
    type: deliveryFailedType,
    message: `${outcome.state} after ${describeAttempt(outcome)}`,
    nonRetryable: true,
    details: [outcome],
  });
}

function callAgain(
  ports: Pick<DeliveryPorts, 'clock' | 'random'>,
  outcome: DeliveryOutcome,
): ApplicationFailure {
  const { nextAttemptAt, attemptsMax, host } = outcome;
  if (nextAttemptAt === null) {
    const nextRetryDelay = throttledDelayMs(dueForMs(ports, outcome), ports.random());
    const [type, message] =
      attemptsMax === null
        ? ['AttemptUnderWay', 'another process is making the attempt']
        : ['Throttled', `too many requests to ${host} are in flight`];
    return receiverFailure({ type, message, nextRetryDelay });
  }
  // Zero would mean "use the retry policy".
  const nextRetryDelay = Math.max(1, untilDue(ports, outcome) ?? 0);
  const [type, what] = reasonOf(outcome);
  const message = `${what}; the next is due in ${formatDuration(nextRetryDelay)}`;
  return receiverFailure({ type, message, nextRetryDelay });
}

function reasonOf(outcome: DeliveryOutcome): readonly [type: string, what: string] {
  if (outcome.isRateLimited)
    return ['RateLimited', 'other deliveries use up the rate of the webhook'];
  // Until then another process may make the first attempt.
  return outcome.attemptCount > 0
    ? ['RetryDue', describeAttempt(outcome)]
    : ['AttemptUnderWay', 'another process is making the first attempt'];
}

function untilDue(
  { clock }: Pick<DeliveryPorts, 'clock'>,
  { nextAttemptAt }: DeliveryOutcome,
): number | null {
  return nextAttemptAt === null ? null : Date.parse(nextAttemptAt) - clock.now().getTime();
}

// A first attempt is due since it was left to the retries.
function dueForMs({ clock }: Pick<DeliveryPorts, 'clock'>, { dueAt }: DeliveryOutcome): number {
  const leftAtMs = Context.current().info.scheduledTimestampMs;
  const dueAtMs = dueAt === undefined ? leftAtMs : Math.max(leftAtMs, Date.parse(dueAt));
  return clock.now().getTime() - dueAtMs;
}
