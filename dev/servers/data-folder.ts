import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './process-identity.ts';

const prefix = 'agent-herald-';
// Another container may share this folder but not our pids, so only old folders go.
const abandonedAfterMs = 60 * 60 * 1000;

export interface DataFolder {
  readonly path: string;
  readonly isKept: boolean;
  /** Removes the folder unless it is kept. */
  discard(): Promise<void>;
}

/** Makes `dataDir`, or for null a folder below the system's temporary one. */
export async function openDataFolder(dataDir: string | null, server: string): Promise<DataFolder> {
  if (dataDir !== null) {
    await mkdir(dataDir, { recursive: true });
    return { path: dataDir, isKept: true, discard: () => Promise.resolve() };
  }
  await removeAbandoned();
  const path = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-${server}-`));
  return { path, isKept: false, discard: () => rm(path, { recursive: true, force: true }) };
}

// Left by processes that were killed.
async function removeAbandoned(): Promise<void> {
  for (const entry of await readdir(tmpdir())) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(entry)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const path = join(tmpdir(), entry);
    // It may vanish meanwhile, or belong to another user.
    const modifiedMs = (await stat(path).catch(() => undefined))?.mtimeMs ?? Infinity;
    if (Date.now() - modifiedMs < abandonedAfterMs) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
