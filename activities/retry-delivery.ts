// The activity that retries one delivery until it is settled; the server waits between its attempts.
import { Context, cancellationSignal } from '@temporalio/activity';
import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
} from '@temporalio/common';
import { attemptDelivery } from '../lib/deliveries/attempt-delivery.ts';
import type { DeliveryPorts } from '../lib/deliveries/ports.ts';
import { throttledDelayMs } from '../lib/deliveries/retry-schedule.ts';
import { formatDuration } from '../lib/platform/duration.ts';
import type { DeliveryOutcome } from '../lib/model/delivery-outcome.ts';
import type { RetryDeliveryInput } from '../lib/temporal/messages.ts';
import { askerOf } from './attempt-first.ts';
import { asFailure, whileHeartbeating } from './heartbeat.ts';

/**
 * Makes the next attempt if it is due. Gives the outcome once the delivery is settled; until then
 * it throws a failure that tells the server when to call again. That failure is BENIGN: a receiver
 * that is down or saturated is no fault of ours and must not count as one in logs and metrics. Cancelled,
 * it ends after the attempt under way.
 */
export async function retryDelivery(
  ports: DeliveryPorts,
  input: RetryDeliveryInput,
): Promise<DeliveryOutcome> {
  const outcome = await whileHeartbeating(async (signal) => {
    try {
      const { jobUid: _jobUid, ...key } = input;
      const stop = unlessAskedFor(signal);
      return await attemptDelivery(ports, key, { asker: askerOf(input), signal: stop });
    } catch (error) {
      throw asFailure(error);
    }
  });
  if (outcome.state !== 'retrying') return outcome;
  cancellationSignal().throwIfAborted();
  throw callAgain(ports, outcome);
}

/** Makes the failure that tells the server to call again: when the next attempt is due, or some seconds later. */
function callAgain(
  ports: Pick<DeliveryPorts, 'clock' | 'random'>,
  outcome: DeliveryOutcome,
): ApplicationFailure {
  const category = ApplicationFailureCategory.BENIGN;
  const { nextAttemptAt, host } = outcome;
  if (nextAttemptAt === null) {
    const nextRetryDelay = throttledDelayMs(dueForMs(ports, outcome), ports.random());
    const [type, message] =
      host === null
        ? ['AttemptUnderWay', 'another process has the attempt in hand']
        : ['Throttled', `too many requests to ${host} are under way`];
    return ApplicationFailure.create({ type, message, category, nextRetryDelay });
  }
  const untilDueMs = Date.parse(nextAttemptAt) - ports.clock.now().getTime();
  // Temporal's retry timers tick in whole seconds; a delay of nothing would mean "use the policy".
  const nextRetryDelay = Math.max(1_000, untilDueMs);
  const message = `${describe(outcome)}; the next is due in ${formatDuration(nextRetryDelay)}`;
  return ApplicationFailure.create({ type: 'RetryDue', message, category, nextRetryDelay });
}

/** Returns how long an attempt has been due. A first attempt is due since it was left to the retries. */
function dueForMs({ clock }: Pick<DeliveryPorts, 'clock'>, { dueAt }: DeliveryOutcome): number {
  const leftAtMs = Context.current().info.scheduledTimestampMs;
  const dueAtMs = dueAt === undefined ? leftAtMs : Math.max(leftAtMs, Date.parse(dueAt));
  return clock.now().getTime() - dueAtMs;
}

/**
 * Returns a signal that does not abort when an operator cancels the workflow: an attempt under way is then
 * made and recorded.
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
