import type { ClientSession } from 'mongodb';
import { limits } from '../limits.ts';
import { type Scope, scopes } from '../model/api-key.ts';
import { systemCaller as caller } from '../model/audit-log.ts';
import { addApiKey, makeRoomForKeys } from './api-keys.ts';
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
    const apiKey = await addFullKey(store, { appUid, name: 'First key', keyPepper }, session);
    return { appUid, accountUid, apiKey };
  });
}

/** Creates an account, also where there is one, and returns its uid. */
export async function createFirstAccount(store: Store, appUid: string): Promise<string> {
  return inTransaction(store, (session) => addAccount(store, appUid, session));
}

/** Creates a key of every scope and returns its text. */
export async function createFullKey(store: Store, wish: KeyWish): Promise<string> {
  return inTransaction(store, (session) => addFullKey(store, wish, session));
}

/** The admin command. Throws one sentence for an unknown application or scope, a faulty name or no room. */
export async function createKey(
  store: Store,
  { appUid, name, scopes: wanted, keyPepper }: KeyWish & { scopes: readonly string[] },
): Promise<{ keyUid: string; apiKey: string; scopes: readonly Scope[] }> {
  if (name.length === 0 || name.length > limits.nameCharactersMax || /\p{Cc}/u.test(name)) {
    throw new Error(`--name must be a line of 1 to ${limits.nameCharactersMax} characters`);
  }
  const chosen = readScopes(wanted);
  return inTransaction(store, async (session) => {
    if ((await store.apps.findOne({ _id: appUid }, { session })) === null) {
      throw new Error(`there is no application ${appUid}`);
    }
    const now = new Date();
    await makeRoomForKeys(store, { appUid, now, times: 1 }, session);
    const wish = { appUid, name, scopes: chosen, expiresAt: null };
    const { key, text } = await addApiKey(store, wish, { keyPepper, caller, now, session });
    return { keyUid: key._id, apiKey: text, scopes: chosen };
  });
}

function readScopes(wanted: readonly string[]): Scope[] {
  if (wanted.join() === 'all') return [...scopes];
  const unknown = wanted.find((name) => !scopes.some((scope) => scope === name));
  if (unknown !== undefined) {
    throw new Error(
      `there is no scope "${unknown}"; there are all, or some of ${scopes.join(', ')}`,
    );
  }
  return scopes.filter((scope) => wanted.includes(scope));
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

async function addFullKey(
  store: Store,
  { appUid, name, keyPepper }: KeyWish,
  session: ClientSession,
): Promise<string> {
  const wish = { appUid, name, scopes: [...scopes], expiresAt: null };
  const occasion = { keyPepper, caller, now: new Date(), session };
  const { text } = await addApiKey(store, wish, occasion);
  return text;
}
