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

const maxTimeExpiredCode = 50;

/** Reports whether an error says that MongoDB does not answer now, so that a repeat of the call may succeed. */
export function isDatabaseAway(error: unknown): boolean {
  const cause = causeOfBulkError(error);
  if (!(cause instanceof MongoError)) return false;
  return (
    // Also its subclasses, such as for a pool that was cleared.
    cause instanceof MongoNetworkError ||
    awayErrors.has(cause.name) ||
    cause.code === maxTimeExpiredCode ||
    awayLabels.some((label) => cause.hasErrorLabel(label))
  );
}
