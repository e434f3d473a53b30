import { createHash, createHmac } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import { AppError } from '../platform/errors.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { IdempotencyKey } from '../model/idempotency.ts';
import { inTransaction, isDuplicateKey, type Store } from './connect.ts';

/** `scope` is the application and path. A body may hold a password to guess at, so its hash has the pepper. */
export function idempotencyKey(
  { scope, header, pepper }: { scope: string; header: string; pepper: string },
  body: unknown,
): IdempotencyKey {
  const id = createHash('sha256').update(`${scope}\n${header}`).digest('base64url');
  const text = JSON.stringify(body ?? null);
  return { id, bodyHash: createHmac('sha256', pepper).update(text).digest('base64url') };
}

/**
 * Runs `work` in one transaction, with a key at most once: key and answer are written in it, so that no
 * crash leaves one without the other (ADR 4). A repeat gets the first answer with `repeated: true`.
 * Throws `idempotency_key_reused` when the key came before with another body.
 */
export async function runOnce<T>(
  store: Store,
  { key, secretBox, now }: { key: IdempotencyKey | null; secretBox: SecretBox; now: Date },
  work: (session: ClientSession) => Promise<T>,
): Promise<{ answer: T; repeated: boolean }> {
  if (key === null) return { answer: await inTransaction(store, work), repeated: false };
  try {
    const answer = await inTransaction(store, async (session) => {
      const before = await store.idempotencyKeys.findOne({ _id: key.id }, { session });
      if (before !== null) throw new RepeatedKey();
      const made = await work(session);
      const sealed = secretBox.seal(JSON.stringify(made), key.id);
      await store.idempotencyKeys.insertOne(
        { _id: key.id, bodyHash: key.bodyHash, answer: sealed, createdAt: now },
        { session },
      );
      return made;
    });
    return { answer, repeated: false };
  } catch (error) {
    if (!(error instanceof RepeatedKey) && !isDuplicateKey(error)) throw error;
    return { answer: await readAnswer<T>(store, key, secretBox), repeated: true };
  }
}

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
