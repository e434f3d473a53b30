import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson } from '../../lib/config/dev-file.ts';
import { errorCode } from '../../lib/platform/error-code.ts';
import { isAlive, processStartTime } from './process-identity.ts';

interface StartLock extends AsyncDisposable {
  readonly path: string;
}

interface Holder {
  readonly pid?: unknown;
  readonly startTime?: string | null;
}

/**
 * Lets only one `npm start` at a time use a data folder, and creates the folder. Replaces the lock of a process that
 * has ended. If the process is alive, throws one sentence that names it and the file.
 */
export async function takeStartLock(dataDir: string): Promise<StartLock> {
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, 'start.lock');
  const startTime = await processStartTime(process.pid);
  const own = JSON.stringify({ pid: process.pid, startTime });
  for (let tries = 1; !(await createLock(path, own)); tries += 1) {
    await refuseLivingHolder(path);
    if (tries > 1) throw new Error(`${path} keeps changing hands; start again`);
    // Two starts may replace one stale lock. MongoDB then refuses its data folder to the second.
    await rm(path, { force: true });
  }
  return {
    path,
    async [Symbol.asyncDispose]() {
      const found = await readFile(path, 'utf8').catch(() => null);
      if (found === own) await rm(path, { force: true });
    },
  };
}

// A link is created only if no file exists, and with its content, so nobody reads a half-written lock.
async function createLock(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, content, { flag: 'wx' });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft);
  }
}

async function refuseLivingHolder(path: string): Promise<void> {
  const { pid, startTime = null } = (await readJson<Holder>(path)) ?? {};
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0 || !isAlive(pid)) return;
  // Another process may have the ID of one that has ended.
  if (startTime !== null && (await processStartTime(pid)) !== startTime) return;
  throw new Error(
    `agent-herald is already running here (pid ${pid}, lock file ${path}); ` +
      'stop it, or set HERALD_DATA_DIR to another folder',
  );
}
