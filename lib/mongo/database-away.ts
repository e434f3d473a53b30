import { MongoError, MongoErrorLabel, MongoNetworkError } from 'mongodb';
import { causeOfBulkError } from './transaction.ts';

const awayErrors: ReadonlySet<string> = new Set([
  'MongoNotConnectedError',
  'MongoOperationTimeoutError',
  'MongoServerSelectionError',
  'MongoWaitQueueTimeoutError',
]);

const awayLabels = [
  MongoErrorLabel.RetryableWriteError,
  MongoErrorLabel.TransientTransactionError,
  MongoErrorLabel.UnknownTransactionCommitResult,
];

// Of a server that stops or is not the primary any more the driver labels only what it would repeat.
const awayCodes: ReadonlySet<unknown> = new Set([
  50, // MaxTimeMSExpired
  91, // ShutdownInProgress
  189, // PrimarySteppedDown
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  11_602, // InterruptedDueToReplStateChange
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
]);

/** Reports whether an error says that MongoDB does not answer now, so that a repeat of the call may succeed. */
export function isDatabaseAway(error: unknown): boolean {
  const cause = causeOfBulkError(error);
  if (!(cause instanceof MongoError)) return false;
  return (
    // Also its subclasses, such as for a pool that was cleared.
    cause instanceof MongoNetworkError ||
    awayErrors.has(cause.name) ||
    awayCodes.has(cause.code) ||
    awayLabels.some((label) => cause.hasErrorLabel(label))
  );
}
