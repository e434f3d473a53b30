// Idempotency keys: a POST repeated with the same key gets the first answer and does nothing again.
import { createHash } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import { AppError } from '../platform/errors.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { IdempotencyKey } from '../model/idempotency.ts';
import { inTransaction, isDuplicateKey, type Store } from './connect.ts';

/** Makes the stored form of an `Idempotency-Key` header; `scope` is the application and path. */
export function idempotencyKey(scope: string, header: string, body: unknown): IdempotencyKey {
  const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
  return { id: digest(`${scope}\n${header}`), bodyHash: digest(JSON.stringify(body ?? null)) };
}

export interface OnceOptions {
  key: IdempotencyKey | null;
  secretBox: SecretBox;
  now: Date;
}

/**
 * Runs `work` in one transaction, and with an idempotency key at most once: the key and the answer
 * are written in that same transaction, so there is no moment in which a crash leaves one without
 * the other. A repeat gets the first answer with `repeated: true`.
 * Throws `idempotency_key_reused` when the key came before with another body.
 */
export async function runOnce<T>(
  store: Store,
  options: OnceOptions,
  work: (session: ClientSession) => Promise<T>,
): Promise<{ answer: T; repeated: boolean }> {
  const { key } = options;
  if (key === null) return { answer: await inTransaction(store, work), repeated: false };
  try {
    const answer = await inTransaction(store, async (session) => {
      const before = await store.idempotencyKeys.findOne({ _id: key.id }, { session });
      if (before !== null) throw new RepeatedKey();
      const made = await work(session);
      const sealed = options.secretBox.seal(JSON.stringify(made), key.id);
      await store.idempotencyKeys.insertOne(
        { _id: key.id, bodyHash: key.bodyHash, answer: sealed, createdAt: options.now },
        { session },
      );
      return made;
    });
    return { answer, repeated: false };
  } catch (error) {
    if (!(error instanceof RepeatedKey) && !isDuplicateKey(error)) throw error;
    return { answer: await readAnswer<T>(store, key, options.secretBox), repeated: true };
  }
}

/** Leaves the transaction when the key is known already; never seen outside this file. */
class RepeatedKey extends Error {}

async function readAnswer<T>(store: Store, key: IdempotencyKey, box: SecretBox): Promise<T> {
  const before = await store.idempotencyKeys.findOne({ _id: key.id });
  if (before === null)
    throw new AppError('conflict', 'the same request is being answered; try again');
  if (before.bodyHash !== key.bodyHash) {
    throw new AppError(
      'idempotency_key_reused',
      'this Idempotency-Key was used with another body in the last 24 hours',
    );
  }
  return JSON.parse(box.open(before.answer, key.id)) as T;
}
