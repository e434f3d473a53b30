// Makes an application with what its first calls need: an API key and an account.
import { hashApiKey, newApiKey } from '../crypto/api-key.ts';
import { newId } from '../ids.ts';
import { scopes } from './api-keys.ts';
import { inTransaction } from './connect.ts';
import type { Store } from './connect.ts';

/** A new application; `apiKey` is shown here and never again. */
export interface NewApp {
  appUid: string;
  accountUid: string;
  apiKey: string;
}

/** Creates an application with one account and one key that has every scope. */
export async function createApp(
  store: Store,
  { name, keyPepper }: { name: string; keyPepper: string },
): Promise<NewApp> {
  const now = new Date();
  const appUid = newId('app', now);
  const accountUid = newId('acc', now);
  await inTransaction(store, async (session) => {
    await store.apps.insertOne({ _id: appUid, name, webhookCount: 0, createdAt: now }, { session });
    const account = { _id: accountUid, appUid, name: 'First account', createdAt: now };
    await store.accounts.insertOne(account, { session });
  });
  const apiKey = await createApiKey(store, { appUid, name: 'First key', keyPepper });
  return { appUid, accountUid, apiKey };
}

/** Creates a key with every scope for an application and gives its text, this once. */
export async function createApiKey(
  store: Store,
  { appUid, name, keyPepper }: { appUid: string; name: string; keyPepper: string },
): Promise<string> {
  const now = new Date();
  const { keyId, text } = newApiKey();
  await store.apiKeys.insertOne({
    _id: newId('key', now),
    appUid,
    keyId,
    secretHash: hashApiKey(text, keyPepper),
    name,
    scopes: [...scopes],
    createdAt: now,
    expiresAt: null,
    revokedAt: null,
  });
  return text;
}
