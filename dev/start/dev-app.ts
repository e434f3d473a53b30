// The application of a development installation: made on the first start, found on the next.
import { hashApiKey, parseApiKey, sameHash } from '../../lib/access/api-key.ts';
import { scopes } from '../../lib/model/api-key.ts';
import { connectStore, type Store } from '../../lib/mongo/connect.ts';
import {
  createAppWithKey,
  createFirstAccount,
  createFullKey,
  type NewApp,
} from '../../lib/access/create-app-with-key.ts';
import type { Config } from '../../lib/config/config.ts';
import { readAppFile, writeDevFile } from '../../lib/config/dev-file.ts';

/** Reuses the key of the last start, which only the file at `path` holds. Null keeps no file. */
export async function findOrCreateDevApp(config: Config, path: string | null): Promise<NewApp> {
  const store = await connectStore(config.mongodb);
  try {
    const app = await findOrCreate(store, config, path === null ? null : await readAppFile(path));
    if (path !== null) await writeDevFile(path, app);
    return app;
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

async function findOrCreate(
  store: Store,
  { keyPepper }: Config,
  last: NewApp | null,
): Promise<NewApp> {
  const app = await store.apps.findOne({}, { sort: { _id: 1 } });
  const account = app && (await store.accounts.findOne({ appUid: app._id }, { sort: { _id: 1 } }));
  if (app === null) return createAppWithKey(store, { name: 'Development', keyPepper });
  const known = last !== null && (await isKeyOf(store, { appUid: app._id, last, keyPepper }));
  const apiKey = known
    ? last.apiKey
    : await createFullKey(store, { appUid: app._id, name: 'Development key', keyPepper });
  return {
    appUid: app._id,
    accountUid: account?._id ?? (await createFirstAccount(store, app._id)),
    apiKey,
  };
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
    // A key of an earlier version may lack a scope.
    scopes.every((scope) => key.scopes.includes(scope)) &&
    sameHash(key.secretHash, hashApiKey(last.apiKey, keyPepper))
  );
}
