import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

/** `.herald/dev.json`: the output of `npm start`, for scripts. */
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
  /** Null if other admins existed before. */
  adminEmail: string | null;
  adminPassword: string | null;
  /** Null if `HERALD_METRICS_PORT` is empty. */
  metricsUrls: { api: string; worker: string } | null;
  /** Null for a server that was already running. */
  pids: { api: number; worker: number; mongodb: number | null; temporal: number | null };
}

/** Returns null if the file is absent or not JSON. */
export async function readDevFile(path: string): Promise<DevFile | null> {
  return readJson<DevFile>(path);
}

/** Returns the environment. If it names no database, adds the database and pepper of the running `npm start`. */
export async function findEnvironment(env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  if (env['MONGODB_URI']) return env;
  const dataDir = resolve(env['HERALD_DATA_DIR'] || '.herald');
  const dev = await readDevFile(`${dataDir}/dev.json`);
  if (dev !== null) {
    return { ...env, MONGODB_URI: dev.mongodbUri, HERALD_KEY_PEPPER: dev.keyPepper };
  }
  throw new Error(
    `set MONGODB_URI, or start the service here with npm start (none is running in ${dataDir})`,
  );
}

/** Reads a file of `npm start`; returns null if it is absent or not JSON. */
export async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch {
    return null;
  }
}
