import { access, constants, mkdir, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './process-identity.ts';
import { removeAbandoned } from './temporary-folder.ts';

const prefix = 'agent-herald-';
// Temporary data is written much faster there. A server of tests takes up to 1 GiB.
const memoryFolder = '/dev/shm';
const memoryBytesMin = 4 * 1024 ** 3;

export interface DataFolder {
  readonly path: string;
  readonly isKept: boolean;
  /** Removes the folder unless it is kept. */
  discard(): Promise<void>;
}

/** Creates `dataDir`; for null, a folder in memory if there is room, or else below the temporary one. */
export async function openDataFolder(dataDir: string | null, server: string): Promise<DataFolder> {
  if (dataDir !== null) {
    await mkdir(dataDir, { recursive: true });
    return { path: dataDir, isKept: true, discard: () => Promise.resolve() };
  }
  const parent = (await hasRoom(memoryFolder)) ? memoryFolder : tmpdir();
  // Another container may share this folder but not our process IDs, so only old folders are removed.
  await removeAbandoned(parent, isOfKilledProcess);
  const path = await mkdtemp(join(parent, `${prefix}${process.pid}-${server}-`));
  return { path, isKept: false, discard: () => rm(path, { recursive: true, force: true }) };
}

async function hasRoom(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= memoryBytesMin;
  } catch {
    // Not every system has it.
    return false;
  }
}

function isOfKilledProcess(entry: string): boolean {
  const pid = new RegExp(`^${prefix}(\\d+)-`).exec(entry)?.[1];
  return pid !== undefined && !isAlive(Number(pid));
}
