import { MongoError, MongoErrorLabel, MongoNetworkError } from 'mongodb';
import { causeOfBulkError } from './write-errors.ts';

const unavailableErrors: ReadonlySet<string> = new Set([
  'MongoNotConnectedError',
  'MongoOperationTimeoutError',
  'MongoServerSelectionError',
  'MongoWaitQueueTimeoutError',
]);

const unavailableLabels = [
  MongoErrorLabel.RetryableWriteError,
  MongoErrorLabel.TransientTransactionError,
  MongoErrorLabel.UnknownTransactionCommitResult,
];

// If a server stops or is no longer the primary, the driver labels only errors of calls that it would retry.
const unavailableCodes: ReadonlySet<unknown> = new Set([
  50, // MaxTimeMSExpired
  91, // ShutdownInProgress
  189, // PrimarySteppedDown
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  11_602, // InterruptedDueToReplStateChange
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
]);

/** Checks whether an error means that MongoDB is unavailable now, so that repeating the call may succeed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const cause = causeOfBulkError(error);
  if (!(cause instanceof MongoError)) return false;
  return (
    // Including its subclasses, such as the error of a cleared pool.
    cause instanceof MongoNetworkError ||
    unavailableErrors.has(cause.name) ||
    unavailableCodes.has(cause.code) ||
    unavailableLabels.some((label) => cause.hasErrorLabel(label))
  );
}
