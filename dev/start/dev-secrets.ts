import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../lib/platform/error-code.ts';

type DevSecrets = Record<'HERALD_SECRET_KEYS' | 'HERALD_KEY_PEPPER', string>;

/** Reads the secrets of a data folder, or creates them. */
export async function loadDevSecrets(dataDir: string): Promise<DevSecrets> {
  const path = join(dataDir, 'secrets.json');
  try {
    return JSON.parse(await readFile(path, 'utf8')) as DevSecrets;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  const secrets = makeDevSecrets();
  await writeFile(path, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  return secrets;
}

export function makeDevSecrets(): DevSecrets {
  return {
    HERALD_SECRET_KEYS: `dev:${randomBytes(32).toString('base64')}`,
    HERALD_KEY_PEPPER: randomBytes(32).toString('base64'),
  };
}
