// Failures as Temporal stores and shows them: one line, and no stack, which would name paths of the installation.
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';

type Options = NonNullable<Parameters<typeof ApplicationFailure.create>[0]>;

/** Creates a failure of a receiver, not of ours: it causes no warning in our log and no error in our metrics. */
export function receiverFailure(options: Options): ApplicationFailure {
  const category = ApplicationFailureCategory.BENIGN;
  return withoutStack(ApplicationFailure.create({ ...options, category }));
}

export function withoutStack(failure: ApplicationFailure): ApplicationFailure {
  failure.stack = '';
  return failure;
}
