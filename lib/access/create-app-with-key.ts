import type { ClientSession } from 'mongodb';
import { scopes } from '../model/api-key.ts';
import { systemCaller as caller } from '../model/audit-log.ts';
import { makeApiKey } from './api-keys.ts';
import { makeAccount, makeApp } from './apps.ts';
import { recordAudit } from './audit-log.ts';
import { inTransaction, type Store } from '../mongo/connect.ts';

export interface NewApp {
  appUid: string;
  accountUid: string;
  apiKey: string;
}

interface KeyWish {
  appUid: string;
  name: string;
  keyPepper: string;
}

/** Creates an application with an account and a key of every scope. */
export async function createAppWithKey(
  store: Store,
  { name, keyPepper }: { name: string; keyPepper: string },
): Promise<NewApp> {
  const now = new Date();
  const app = makeApp(name, now);
  const appUid = app._id;
  return inTransaction(store, async (session) => {
    await store.apps.insertOne(app, { session });
    const target = { kind: 'app', uid: appUid };
    const entry = { appUid, action: 'app.created', target, details: { name } };
    await recordAudit(store, entry, { caller, now, session });
    const accountUid = await addAccount(store, appUid, session);
    const apiKey = await addApiKey(store, { appUid, name: 'First key', keyPepper }, session);
    return { appUid, accountUid, apiKey };
  });
}

/** Creates an account, also where there is one, and returns its uid. */
export async function createFirstAccount(store: Store, appUid: string): Promise<string> {
  return inTransaction(store, (session) => addAccount(store, appUid, session));
}

/** Creates a key of every scope and returns its text. */
export async function createFullKey(store: Store, wish: KeyWish): Promise<string> {
  return inTransaction(store, (session) => addApiKey(store, wish, session));
}

async function addAccount(store: Store, appUid: string, session: ClientSession): Promise<string> {
  const now = new Date();
  const account = makeAccount({ appUid, name: 'First account' }, now);
  await store.accounts.insertOne(account, { session });
  const target = { kind: 'account', uid: account._id };
  const entry = { appUid, action: 'account.created', target, details: { name: account.name } };
  await recordAudit(store, entry, { caller, now, session });
  return account._id;
}

async function addApiKey(
  store: Store,
  { appUid, name, keyPepper }: KeyWish,
  session: ClientSession,
): Promise<string> {
  const now = new Date();
  const wish = { appUid, name, scopes: [...scopes], expiresAt: null };
  const { key, text } = makeApiKey(wish, { keyPepper, now });
  await store.apiKeys.insertOne(key, { session });
  const details = { name, scopes: key.scopes, expiresAt: null };
  const target = { kind: 'api_key', uid: key._id };
  const entry = { appUid, action: 'api_key.created', target, details };
  await recordAudit(store, entry, { caller, now, session });
  return text;
}
