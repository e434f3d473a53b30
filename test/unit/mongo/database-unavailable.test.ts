import {
  MongoBulkWriteError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { describe, expect, test } from 'vitest';
import { isDatabaseUnavailable } from '../../../lib/mongo/database-unavailable.ts';

// The driver exports only their types.
class PoolClearedOnNetworkError extends MongoNetworkError {
  override get name(): string {
    return 'PoolClearedOnNetworkError';
  }
}

const labelled = (label: string) =>
  new MongoServerError({ message: 'refused', code: 1, errorLabels: [label] });

function inBulk(cause: Error): Error {
  const error = Object.create(MongoBulkWriteError.prototype) as { errorResponse: Error };
  error.errorResponse = cause;
  return error as unknown as Error;
}

describe('a database that does not answer', () => {
  test.each([
    ['a lost connection', new MongoNetworkError('lost')],
    ['an unresponsive connection', new MongoNetworkTimeoutError('silent')],
    ['a cleared pool', new PoolClearedOnNetworkError('cleared')],
    ['no server', new MongoServerSelectionError('none', { error: null } as never)],
    ['a transaction to retry', labelled(MongoErrorLabel.TransientTransactionError)],
    ['a commit of unknown result', labelled(MongoErrorLabel.UnknownTransactionCommitResult)],
    ['a write to retry', labelled(MongoErrorLabel.RetryableWriteError)],
    ['a lost connection in a bulk write', inBulk(new MongoNetworkError('lost'))],
  ])('%s', (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  test.each([
    [50, 'a command that ran out of its time'],
    [91, 'a server that stops'],
    [189, 'a primary that steps down'],
    [10_107, 'a write at a server that is not the primary'],
    [11_600, 'a command that a stop interrupts'],
    [11_602, 'a command that a change of the primary interrupts'],
    [13_435, 'a read at a server that is not the primary'],
    [13_436, 'a server that is neither primary nor secondary'],
  ])('%i: %s', (code) => {
    expect(isDatabaseUnavailable(new MongoServerError({ message: 'no', code }))).toBe(true);
  });
});

describe('an answer of the database, or an error of ours', () => {
  test.each([
    ['a duplicate key', new MongoServerError({ message: 'duplicate', code: 11_000 })],
    ['a code next to that of an expired time', new MongoServerError({ message: 'no', code: 51 })],
    ['another error', new Error('lost')],
    ['nothing', undefined],
  ])('%s', (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});
