// What the driver's write errors mean.
import { MongoBulkWriteError } from 'mongodb';
import { errorCode } from '../platform/error-code.ts';

const duplicateKeyCode = 11_000;
const writeConflictCode = 112;

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
