// Failures as Temporal stores and shows them: one line without a stack, which would reveal paths of the installation.
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

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

export function withoutStack(failure: ApplicationFailure): ApplicationFailure {
  failure.stack = '';
  return failure;
}
