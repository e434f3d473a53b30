// `.herald/dev.json`: what `npm start` prints, for scripts.
import { readFile, rename, writeFile } from 'node:fs/promises';
import type { NewApp } from '../access/create-app-with-key.ts';

export interface DevFile {
  apiUrl: string;
  temporalUiUrl: string | null;
  temporalAddress: string;
  mongodbUri: string;
  appUid: string;
  apiKey: string;
  accountUid: string;
  /** Null for a server that was running already. */
  pids: { api: number; worker: number; mongodb: number | null; temporal: number | null };
}

/** Reads the file, or gives null when there is none or it is not readable as one. */
export async function readDevFile(path: string): Promise<DevFile | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as DevFile;
  } catch {
    return null;
  }
}

/** Writes a file of JSON whole or not at all, readable by its owner only, for it holds a key. */
export async function writeDevFile(path: string, content: DevFile | NewApp): Promise<void> {
  const next = `${path}.${process.pid}.next`;
  await writeFile(next, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(next, path);
}

/** Reads the application of the last start that kept its data, or gives null. */
export async function readAppFile(path: string): Promise<NewApp | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as NewApp;
  } catch {
    return null;
  }
}
