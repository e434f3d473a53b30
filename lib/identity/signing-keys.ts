import { systemCaller } from '../model/audit-log.ts';
import type { SigningKeyDocument } from '../model/signing-key.ts';
import { recordAudit } from '../access/audit-log.ts';
import { type Store } from '../mongo/connect.ts';
import { inTransaction } from '../mongo/transaction.ts';

export function signingKeyLocation(keyId: string): string {
  return `signingKeys/${keyId}/privateKey`;
}

/** Throws the driver's duplicate-key error if the generation exists. */
export async function insertSigningKey(store: Store, key: SigningKeyDocument): Promise<void> {
  const { _id, generation, signsFrom, createdAt: now } = key;
  const target = { kind: 'signing_key', uid: _id };
  const details = { generation, signsFrom: signsFrom.toISOString() };
  await inTransaction(store, async (session) => {
    await store.signingKeys.insertOne(key, { session });
    const entry = { appUid: null, action: 'signing_key.created', target, details };
    await recordAudit(store, entry, { caller: systemCaller, now, session });
  });
}

export async function removeSigningKey(store: Store, keyId: string, now: Date): Promise<boolean> {
  const target = { kind: 'signing_key', uid: keyId };
  return inTransaction(store, async (session) => {
    const { deletedCount } = await store.signingKeys.deleteOne({ _id: keyId }, { session });
    if (deletedCount === 0) return false;
    const entry = { appUid: null, action: 'signing_key.removed', target };
    await recordAudit(store, entry, { caller: systemCaller, now, session });
    return true;
  });
}
