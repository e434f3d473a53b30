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
import { runActivity } from './run-activity.ts';

/**
 * Makes the next attempt if it is due, and returns the outcome of a settled delivery. Else throws a failure with the
 * time of the next call, BENIGN: a receiver's failures must not count as ours. A cancel ends it after the attempt
 * under way.
 */
export async function retryDelivery(
  ports: DeliveryPorts,
  input: RetryDeliveryInput,
): Promise<DeliveryOutcome> {
  const { jobUid: _jobUid, ...key } = input;
  const outcome = await runActivity((cancellation) => {
    const signal = unlessAskedFor(cancellation);
    return attemptDelivery(ports, key, { asker: askerOf(input), signal });
  });
  if (outcome.state !== 'retrying') return outcome;
  cancellationSignal().throwIfAborted();
  throw callAgain(ports, outcome);
}

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
  // Another process has until then to make the first attempt.
  const isMade = outcome.attemptCount > 0;
  const untilDueMs = Date.parse(nextAttemptAt) - ports.clock.now().getTime();
  // Temporal's retry timers tick in whole seconds; a delay of nothing would mean "use the policy".
  const nextRetryDelay = Math.max(1_000, untilDueMs);
  const what = isMade ? describe(outcome) : 'another process has the first attempt in hand';
  const message = `${what}; the next is due in ${formatDuration(nextRetryDelay)}`;
  const type = isMade ? 'RetryDue' : 'AttemptUnderWay';
  return ApplicationFailure.create({ type, message, category, nextRetryDelay });
}

// A first attempt has been due since it was left to the retries.
function dueForMs({ clock }: Pick<DeliveryPorts, 'clock'>, { dueAt }: DeliveryOutcome): number {
  const leftAtMs = Context.current().info.scheduledTimestampMs;
  const dueAtMs = dueAt === undefined ? leftAtMs : Math.max(leftAtMs, Date.parse(dueAt));
  return clock.now().getTime() - dueAtMs;
}

/** Ignores an operator's cancel of the workflow, so that the attempt under way is made and recorded. */
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

function describe(outcome: DeliveryOutcome): string {
  const { attemptCount, attemptsMax, host, status, errorClass } = outcome;
  const attempt = `attempt ${attemptCount}${attemptsMax === null ? '' : ` of ${attemptsMax}`}`;
  const ending = status === null ? `a ${errorClass} fault` : `status ${status}`;
  return `${attempt}${host === null ? '' : ` at ${host}`} ended with ${ending}`;
}
