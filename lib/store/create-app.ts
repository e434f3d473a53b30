// Makes an application with what its first calls need: an API key and an account.
import { newId } from '../ids.ts';
import { makeApiKey, scopes } from './api-keys.ts';
import { makeApp } from './apps.ts';
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
  const app = makeApp(name, now);
  const appUid = app._id;
  const account = { _id: newId('acc', now), appUid, name: 'First account', createdAt: now };
  const wish = { appUid, name: 'First key', scopes: [...scopes], expiresAt: null };
  const { key, text } = makeApiKey(wish, { keyPepper, now });
  await inTransaction(store, async (session) => {
    await store.apps.insertOne(app, { session });
    await store.accounts.insertOne(account, { session });
    await store.apiKeys.insertOne(key, { session });
  });
  return { appUid, accountUid: account._id, apiKey: text };
}

/** Creates a key with every scope for an application and gives its text, this once. */
export async function createApiKey(
  store: Store,
  { appUid, name, keyPepper }: { appUid: string; name: string; keyPepper: string },
): Promise<string> {
  const wish = { appUid, name, scopes: [...scopes], expiresAt: null };
  const { key, text } = makeApiKey(wish, { keyPepper, now: new Date() });
  await store.apiKeys.insertOne(key);
  return text;
}
