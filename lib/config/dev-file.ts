import { readFile, rename, writeFile } from 'node:fs/promises';
import type { NewApp } from '../access/create-app-with-key.ts';

/** `.herald/dev.json`: what `npm start` prints, for scripts. */
export interface DevFile {
  apiUrl: string;
  temporalUiUrl: string | null;
  temporalAddress: string;
  mongodbUri: string;
  keyPepper: string;
  appUid: string;
  apiKey: string;
  accountUid: string;
  /** Null for a server that was running already. */
  pids: { api: number; worker: number; mongodb: number | null; temporal: number | null };
}

async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch {
    return null;
  }
}

/** Null where the file is absent or no JSON. */
export const readDevFile = readJson<DevFile>;
/** Reads the application of the last start that kept its data; null as above. */
export const readAppFile = readJson<NewApp>;

/** Writes a file whole or not at all, readable by its owner only, for it holds a key. */
export async function writeDevFile(path: string, content: DevFile | NewApp): Promise<void> {
  const next = `${path}.${process.pid}.next`;
  await writeFile(next, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(next, path);
}
