// The application of a development installation: created on the first start, found on later ones.
import { hashApiKey, parseApiKey, sameHash } from '../../lib/access/api-key.ts';
import { scopes } from '../../lib/model/api-key.ts';
import { systemCaller } from '../../lib/model/audit-log.ts';
import { connectStore, type Store } from '../../lib/mongo/connect.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import { addApiKey } from '../../lib/access/api-keys.ts';
import { makeAccount } from '../../lib/access/apps.ts';
import { createAppWithKey, type NewApp } from '../../lib/access/create-app-with-key.ts';
import type { Config } from '../../lib/config/config.ts';
import { readJson } from '../../lib/config/dev-file.ts';
import { writeDevFile } from './dev-files.ts';

/** Reuses the key of the previous start, which only the file at `path` contains. Null keeps no file. */
export async function findOrCreateDevApp(config: Config, path: string | null): Promise<NewApp> {
  await using store = await connectStore(config.mongodb);
  const last = path === null ? null : await readJson<NewApp>(path);
  const app = await findOrCreate(store, config, last);
  if (path !== null) await writeDevFile(path, app);
  return app;
}

async function findOrCreate(
  store: Store,
  { keyPepper }: Config,
  last: NewApp | null,
): Promise<NewApp> {
  const app = await store.apps.findOne({}, { sort: { _id: 1 } });
  if (app === null) return createAppWithKey(store, { name: 'Development', keyPepper });
  const appUid = app._id;
  const accountUid = await findOrCreateAccount(store, appUid);
  if (last !== null && (await isKeyOf(store, { appUid, last, keyPepper }))) {
    return { appUid, accountUid, apiKey: last.apiKey };
  }
  const input = { appUid, name: 'Development key', scopes: [...scopes], expiresAt: null };
  const occasion = { keyPepper, caller: systemCaller, now: new Date() };
  const { text: apiKey } = await inTransaction(store, (session) =>
    addApiKey(store, input, { ...occasion, session }),
  );
  return { appUid, accountUid, apiKey };
}

async function findOrCreateAccount(store: Store, appUid: string): Promise<string> {
  const found = await store.accounts.findOne({ appUid }, { sort: { _id: 1 } });
  if (found !== null) return found._id;
  const account = makeAccount({ appUid, name: 'First account' }, new Date());
  await store.accounts.insertOne(account);
  return account._id;
}

async function isKeyOf(
  store: Store,
  { appUid, last, keyPepper }: { appUid: string; last: NewApp; keyPepper: string },
): Promise<boolean> {
  const keyId = parseApiKey(last.apiKey)?.keyId;
  const key = keyId === undefined ? null : await store.apiKeys.findOne({ keyId, appUid });
  return (
    key !== null &&
    key.revokedAt === null &&
    sameHash(key.secretHash, hashApiKey(last.apiKey, keyPepper))
  );
}
