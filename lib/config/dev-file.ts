import { readFile } from 'node:fs/promises';

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
  consoleUrl: string;
  /** Null where other people are the admins. */
  adminEmail: string | null;
  adminPassword: string | null;
  /** Null where `HERALD_METRICS_PORT` is set to nothing. */
  metricsUrls: { api: string; worker: string } | null;
  /** Null for a server that was running already. */
  pids: { api: number; worker: number; mongodb: number | null; temporal: number | null };
}

/** Null where the file is absent or no JSON. */
export async function readDevFile(path: string): Promise<DevFile | null> {
  return readJson<DevFile>(path);
}

/** Reads a file of `npm start`; null as above. */
export async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch {
    return null;
  }
}
