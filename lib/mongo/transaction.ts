// Transactions, and reads that miss no acknowledged write.
import { type ClientSession, MongoOperationTimeoutError } from 'mongodb';
import { processLimits } from '../limits.ts';
import { AppError } from '../platform/errors.ts';
import type { Store } from './connect.ts';
import { isWriteConflict } from './write-errors.ts';

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

/**
 * Runs `read` after a proof that the primary has every write acknowledged before the call. A majority read alone may
 * miss some of them on a new primary. Rejects if MongoDB cannot give the proof now.
 */
export async function readProven<T>(
  store: Store,
  read: (session: ClientSession) => Promise<T>,
): Promise<T> {
  return store.client.withSession(async (session) => {
    // A linearizable read commits an entry in the primary's own term, and the session reads nothing older.
    const readConcern = { level: 'linearizable' } as const;
    const options = { session, readConcern, maxTimeMS: processLimits.mongoTimeoutMs };
    await store.apps.findOne({ _id: '' }, options);
    return read(session);
  });
}

/** Returns null only if a proven read finds nothing, either. */
export async function findOrProveAbsent<T>(
  store: Store,
  find: (session?: ClientSession) => Promise<T | null>,
): Promise<T | null> {
  return (await find()) ?? readProven(store, find);
}
