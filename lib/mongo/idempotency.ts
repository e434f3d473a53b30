import { createHash, createHmac } from 'node:crypto';
import type { ClientSession } from 'mongodb';
import { AppError } from '../platform/errors.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { IdempotencyKey } from '../model/idempotency.ts';
import { type Store } from './connect.ts';
import { inTransaction } from './transaction.ts';
import { isDuplicateKey } from './write-errors.ts';

/** `scope` is the application and path. The body's hash is keyed, since a body may contain a guessable password. */
export function idempotencyKey(
  { scope, header, pepper }: { scope: string; header: string; pepper: string },
  body: unknown,
): IdempotencyKey {
  const id = createHash('sha256').update(`${scope}\n${header}`).digest('base64url');
  const text = JSON.stringify(body ?? null);
  return { id, bodyHash: createHmac('sha256', pepper).update(text).digest('base64url') };
}

export interface IdempotentCall {
  key: IdempotencyKey;
  secretBox: SecretBox;
  now: Date;
}

/**
 * Runs `work` in one transaction that also writes the key and the answer (ADR 4). A repeat returns the first answer
 * with `repeated: true`. Throws `idempotency_key_reused` if the key was used with another body.
 */
export async function runOnce<T>(
  store: Store,
  { key, ...facts }: Omit<IdempotentCall, 'key'> & { key: IdempotencyKey | null },
  work: (session: ClientSession) => Promise<T>,
): Promise<{ answer: T; repeated: boolean }> {
  if (key === null) return { answer: await inTransaction(store, work), repeated: false };
  const once = { ...facts, key };
  try {
    const answer = await inTransaction(store, async (session) => {
      if ((await usedKeys(store, [once], session)).size > 0) throw new RepeatedKey();
      const made = await work(session);
      await keepAnswers(store, [{ once, answer: made }], session);
      return made;
    });
    return { answer, repeated: false };
  } catch (error) {
    return { answer: await answerRepeat<T>(store, once, error), repeated: true };
  }
}

/** Checks whether a call with the key has succeeded, so that `runOnce` would only return its answer. */
export async function isRepeat(store: Store, key: IdempotencyKey | null): Promise<boolean> {
  return key !== null && (await store.idempotencyKeys.findOne({ _id: key.id })) !== null;
}

/** Returns the IDs of keys used before. */
export async function usedKeys(
  store: Store,
  calls: readonly IdempotentCall[],
  session: ClientSession,
): Promise<Set<string>> {
  if (calls.length === 0) return new Set();
  const used = { _id: { $in: calls.map(({ key }) => key.id) } };
  const found = store.idempotencyKeys.find(used, { projection: { _id: 1 }, session });
  return new Set(await found.map(({ _id }) => _id).toArray());
}

/** Stores the keys with the answers for repeated calls. */
export async function keepAnswers(
  store: Store,
  answered: readonly { once: IdempotentCall; answer: unknown }[],
  session: ClientSession,
): Promise<void> {
  if (answered.length === 0) return;
  const documents = answered.map(({ once: { key, secretBox, now }, answer }) => ({
    _id: key.id,
    bodyHash: key.bodyHash,
    answer: secretBox.seal(JSON.stringify(answer), key.id),
    createdAt: now,
  }));
  await store.idempotencyKeys.insertMany(documents, { session });
}

/** Returns the first answer if the error means that the key was used before; otherwise throws the error. */
export async function answerRepeat<T>(
  store: Store,
  { key, secretBox }: IdempotentCall,
  error: unknown,
): Promise<T> {
  if (!(error instanceof RepeatedKey) && !isDuplicateKey(error)) throw error;
  return readAnswer<T>(store, key, secretBox);
}

export class RepeatedKey extends Error {}

async function readAnswer<T>(store: Store, key: IdempotencyKey, box: SecretBox): Promise<T> {
  const before = await store.idempotencyKeys.findOne({ _id: key.id });
  if (before === null)
    throw new AppError('conflict', 'the same request is still being processed; try again');
  if (before.bodyHash !== key.bodyHash) {
    throw new AppError(
      'idempotency_key_reused',
      'this Idempotency-Key was used with another body in the last 24 hours; send another key',
    );
  }
  return JSON.parse(box.open(before.answer, key.id)) as T;
}
