import { limits } from '../limits.ts';
import { type Scope, scopes } from '../model/api-key.ts';
import { systemCaller as caller } from '../model/audit-log.ts';
import { addApiKey, checkKeyLimits } from './api-keys.ts';
import { makeAccount, makeApp } from './apps.ts';
import { recordAudit } from './audit-log.ts';
import { type Store } from '../mongo/connect.ts';
import { inTransaction } from '../mongo/transaction.ts';
import { countCharacters } from '../platform/count-characters.ts';

export interface NewApp {
  appUid: string;
  accountUid: string;
  apiKey: string;
}

/** Throws one sentence about `what` if the API would reject the name. */
export function checkName(what: string, name: string): void {
  const isLine = name !== '' && !/[\p{Cc}\u2028\u2029]/u.test(name);
  if (isLine && countCharacters(name) <= limits.nameCharactersMax) return;
  throw new Error(`${what} must be a line of 1 to ${limits.nameCharactersMax} characters`);
}

export async function createAppWithKey(
  store: Store,
  { name, keyPepper }: { name: string; keyPepper: string },
): Promise<NewApp> {
  const now = new Date();
  const app = makeApp(name, now);
  const appUid = app._id;
  const account = makeAccount({ appUid, name: 'First account' }, now);
  return inTransaction(store, async (session) => {
    await store.apps.insertOne(app, { session });
    const target = { kind: 'app', uid: appUid };
    const entry = { appUid, action: 'app.created', target, details: { name } };
    await recordAudit(store, entry, { caller, now, session });
    await store.accounts.insertOne(account, { session });
    const ofAccount = { kind: 'account', uid: account._id };
    const details = { name: account.name };
    const accountEntry = { appUid, action: 'account.created', target: ofAccount, details };
    await recordAudit(store, accountEntry, { caller, now, session });
    const input = { appUid, name: 'First key', scopes: [...scopes], expiresAt: null };
    const { text } = await addApiKey(store, input, { keyPepper, caller, now, session });
    return { appUid, accountUid: account._id, apiKey: text };
  });
}

/** The admin command. Throws one sentence for an unknown application or scope, an invalid name or a reached limit. */
export async function createKey(
  store: Store,
  {
    appUid,
    name,
    scopes: wanted,
    keyPepper,
  }: { appUid: string; name: string; scopes: readonly string[]; keyPepper: string },
): Promise<{ keyUid: string; apiKey: string; scopes: readonly Scope[] }> {
  checkName('--name', name);
  const chosen = readScopes(wanted);
  return inTransaction(store, async (session) => {
    if ((await store.apps.findOne({ _id: appUid }, { session })) === null) {
      throw new Error(`there is no application ${appUid}`);
    }
    const now = new Date();
    await checkKeyLimits(store, { appUid, now, times: 1 }, session);
    const input = { appUid, name, scopes: chosen, expiresAt: null };
    const { key, text } = await addApiKey(store, input, { keyPepper, caller, now, session });
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
