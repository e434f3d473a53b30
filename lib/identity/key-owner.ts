// Whose signing keys a ring holds, and where they are stored: those of user tokens, or of an application's webhooks.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import type { Collection } from 'mongodb';
import { systemCaller } from '../model/audit-log.ts';
import type { SigningKeyDocument } from '../model/signing-key.ts';
import { recordAudit } from '../access/audit-log.ts';
import { type Store } from '../mongo/connect.ts';
import { inTransaction } from '../mongo/transaction.ts';
import { createSigningKey, importSigningKey, type NewKey, type SigningKey } from './user-token.ts';

export interface KeyOwner<Key> {
  logged: { appUid?: string };
  find(): Promise<SigningKeyDocument[]>;
  /** Throws the driver's duplicate-key error if the generation exists. */
  insert(key: SigningKeyDocument): Promise<void>;
  /** Returns false if the key is not there. */
  remove(keyId: string, now: Date): Promise<boolean>;
  createKey(): Promise<NewKey>;
  importKey(keyId: string, privateKeyPem: string): Promise<Key>;
  /** Names the sealed private key (see `SecretBox`). */
  locationOf(keyId: string): string;
}

export function userTokenKeys(store: Store): KeyOwner<SigningKey> {
  return {
    ...rowsOf(store, { keys: store.signingKeys }),
    logged: {},
    createKey: createSigningKey,
    importKey: importSigningKey,
    locationOf: (keyId) => `signingKeys/${keyId}/privateKey`,
  };
}

export function webhookKeys(store: Store, appUid: string): KeyOwner<KeyObject> {
  return {
    ...rowsOf(store, { keys: store.webhookKeys, appUid }),
    logged: { appUid },
    createKey: createWebhookKey,
    importKey: async (_keyId, pem) => createPrivateKey(pem),
    locationOf: (keyId) => `webhookKeys/${appUid}/${keyId}/privateKey`,
  };
}

function rowsOf(
  store: Store,
  { keys, appUid }: { keys: Collection<SigningKeyDocument>; appUid?: string },
): Pick<KeyOwner<unknown>, 'find' | 'insert' | 'remove'> {
  const owned = appUid === undefined ? {} : { appUid };
  const auditOf = (uid: string, verb: 'created' | 'removed') => ({
    appUid: appUid ?? null,
    action: `signing_key.${verb}` as const,
    target: { kind: 'signing_key', uid },
  });
  return {
    // Read locally: a process that loses the race for the first key must find the winner's, which may not have reached
    // a majority yet.
    find: () =>
      keys
        .find({ ...owned, generation: { $gte: 1 } }, { readConcern: { level: 'local' } })
        .toArray(),
    insert: (key) =>
      inTransaction(store, async (session) => {
        const { _id: uid, generation, signsFrom, createdAt: now } = key;
        await keys.insertOne({ ...key, ...owned }, { session });
        const details = { generation, signsFrom: signsFrom.toISOString() };
        const created = { ...auditOf(uid, 'created'), details };
        await recordAudit(store, created, { caller: systemCaller, now, session });
      }),
    remove: (uid, now) =>
      inTransaction(store, async (session) => {
        const { deletedCount } = await keys.deleteOne({ _id: uid, ...owned }, { session });
        if (deletedCount === 0) return false;
        const removed = auditOf(uid, 'removed');
        await recordAudit(store, removed, { caller: systemCaller, now, session });
        return true;
      }),
  };
}

/** The public key is a JWK of RFC 8037. */
async function createWebhookKey(): Promise<NewKey> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { kty = '', crv = '', x = '' } = publicKey.export({ format: 'jwk' });
  const keyId = await calculateJwkThumbprint({ kty, crv, x });
  return {
    keyId,
    publicKey: { kty, crv, x, kid: keyId, alg: 'EdDSA', use: 'sig' },
    privateKeyPem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}
