// Transactions, and the interpretation of the driver's write errors.
import { type ClientSession, MongoBulkWriteError, MongoOperationTimeoutError } from 'mongodb';
import { processLimits } from '../limits.ts';
import { AppError } from '../platform/errors.ts';
import { errorCode } from '../platform/error-code.ts';
import type { Store } from './connect.ts';

const duplicateKeyCode = 11_000;
const writeConflictCode = 112;

/**
 * Runs `work` in a transaction, again after each write conflict: it may only read and write through the session. Each
 * try must begin before `beginBeforeMs` (by `performance.now()`, in 10 s by default), otherwise throws a
 * `MongoOperationTimeoutError`. The driver retries a commit of unknown result for 2 min.
 */
export async function inTransaction<T>(
  store: Store,
  work: (session: ClientSession) => Promise<T>,
  beginBeforeMs = performance.now() + processLimits.transactionBeginsMsMax,
): Promise<T> {
  let cause: Error | null = null;
  const beginBeforeDeadline = async (session: ClientSession): Promise<T> => {
    if (performance.now() >= beginBeforeMs) {
      if (isWriteConflict(cause)) {
        const detail =
          'too many concurrent changes of the same resource; try again in a few seconds';
        throw new AppError('unavailable', detail, { cause, retryAfterSeconds: 2 });
      }
      const message = 'the transaction could not start in time';
      throw new MongoOperationTimeoutError(message, cause === null ? {} : { cause });
    }
    try {
      return await work(session);
    } catch (error) {
      if (error instanceof Error) cause = error;
      throw error;
    }
  };
  return store.client.withSession((session) =>
    session.withTransaction(beginBeforeDeadline, {
      readConcern: { level: 'snapshot' },
      writeConcern: { w: 'majority', journal: true },
      readPreference: 'primary',
      maxCommitTimeMS: processLimits.mongoTimeoutMs,
    }),
  );
}

/** Returns the driver's option for the session, if there is one. */
export function within(session: ClientSession | undefined): { session?: ClientSession } {
  return session === undefined ? {} : { session };
}

/** Returns the positions of the documents in an unordered insert that a unique index rejected. Throws other errors. */
export function duplicateIndexes(error: unknown): Set<number> {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const refusals = [error.writeErrors].flat();
  // Without a write error the whole call failed, for example on a lost connection.
  if (refusals.length === 0) throw causeOfBulkError(error);
  if (refusals.some((refusal) => refusal.code !== duplicateKeyCode)) throw error;
  // If the write concern was not met, all documents are in doubt.
  if (error.result.getWriteConcernError() !== undefined) throw error;
  return new Set(refusals.map((refusal) => refusal.index));
}

/** Returns the error that the driver wrapped in a bulk write error, such as a network error; otherwise `error`. */
export function causeOfBulkError(error: unknown): unknown {
  const isWrapped =
    error instanceof MongoBulkWriteError && (error.errorResponse as unknown) instanceof Error;
  return isWrapped ? error.errorResponse : error;
}

/** Checks whether another transaction wrote to the same document. */
export function isWriteConflict(error: unknown): boolean {
  return errorCode(causeOfBulkError(error)) === writeConflictCode;
}

/** Checks whether a unique index rejected the document. */
export function isDuplicateKey(error: unknown): boolean {
  return errorCode(error) === duplicateKeyCode;
}
