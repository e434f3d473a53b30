// Failures as Temporal stores and shows them: one line without a stack, which would reveal paths of the installation.
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

import type { LaterOutcome, LaterReason } from '../model/delivery-outcome.ts';
import { formatDuration } from '../platform/duration.ts';
import { describeAttempt } from './describe-attempt.ts';
import { deliveryFailedType } from './names.ts';

type Options = NonNullable<Parameters<typeof ApplicationFailure.create>[0]>;

/** Creates a failure of a receiver, not a fault of our own: no warning in our log and no error in our metrics. */
export function receiverFailure(options: Options): ApplicationFailure {
  const category = ApplicationFailureCategory.BENIGN;
  return withoutStack(ApplicationFailure.create({ ...options, category }));
}

/** Creates the failure of deliveries that failed for good. */
export function deliveryFailed(message: string, detail: unknown): ApplicationFailure {
  const details = [detail];
  return receiverFailure({ type: deliveryFailedType, message, nonRetryable: true, details });
}

/** Creates the failure by which an activity is called again in `dueInMs`. */
export function laterFailure(outcome: LaterOutcome, dueInMs: number): ApplicationFailure {
  // Zero would mean "use the retry policy".
  const nextRetryDelay = Math.max(1, dueInMs);
  const [type, reason] = reasons[outcome.why];
  const what =
    outcome.why === 'retry' && outcome.attemptCount > 0 ? describeAttempt(outcome) : reason;
  const message = `${what}; the next is due in ${formatDuration(nextRetryDelay)}`;
  return receiverFailure({ type, message, nextRetryDelay });
}

const reasons: Record<LaterReason, readonly [type: string, what: string]> = {
  // Of a delivery that was never attempted; otherwise its last attempt says more.
  retry: ['RetryDue', 'the webhook was changed before the request'],
  rateLimited: ['RateLimited', 'other deliveries use up the rate of the webhook'],
  throttled: ['Throttled', 'too many requests are in flight'],
  inFlightElsewhere: ['InFlightElsewhere', 'another process may be making the attempt'],
};

export function withoutStack(failure: ApplicationFailure): ApplicationFailure {
  failure.stack = '';
  return failure;
}
