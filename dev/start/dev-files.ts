// The files that `npm start` keeps in `.herald` in addition to the data.
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewApp } from '../../lib/access/create-app-with-key.ts';
import type { DevFile } from '../../lib/config/dev-file.ts';

/** `.herald/admin.json`: the admin that `npm start` created for the console. */
export interface DevAdmin {
  /** Null until the admin is created. */
  uid: string | null;
  email: string;
  password: string;
}

export async function writeDevFile(
  path: string,
  content: DevFile | NewApp | DevAdmin,
): Promise<void> {
  await writeOwn(path, `${JSON.stringify(content, null, 2)}\n`);
}

/** Writes `dev.json` and, for shells, `env`: the settings of calls, clients and the command line. */
export async function writeDevFiles(dataDir: string, dev: DevFile): Promise<void> {
  const { apiUrl, appUid, apiKey, accountUid } = dev;
  const lines = [
    `API='${apiUrl}/api/v1/appuid/${appUid}' KEY='${apiKey}' ACCOUNT='${accountUid}'`,
    `export HERALD_URL='${apiUrl}' HERALD_APP_UID='${appUid}' HERALD_API_KEY='${apiKey}'`,
  ];
  await writeDevFile(join(dataDir, 'dev.json'), dev);
  await writeOwn(join(dataDir, 'env'), `${lines.join('\n')}\n`);
}

export async function removeDevFiles(dataDir: string): Promise<void> {
  await rm(join(dataDir, 'dev.json'), { force: true });
  await rm(join(dataDir, 'env'), { force: true });
}

/** Writes a file atomically and readable only by its owner, because it contains a key. */
async function writeOwn(path: string, text: string): Promise<void> {
  const next = `${path}.${process.pid}.next`;
  await writeFile(next, text, { mode: 0o600 });
  await rename(next, path);
}
