import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, isRecord } from '../../lib/platform/error-code.ts';
import { isAlive, processStartTime } from './process-identity.ts';

const attemptsMax = 200;
const retryAfterMs = 10;

interface StartLock extends AsyncDisposable {
  readonly path: string;
}

interface Holder {
  readonly pid: number;
  readonly startTime: string | null;
}

/**
 * Lets one `npm start` at a time use a data folder, and makes the folder. Claims the lock of a process
 * that is gone; throws one sentence naming the process and the file when it is alive.
 */
export async function takeStartLock(dataDir: string): Promise<StartLock> {
  await mkdir(dataDir, { recursive: true });
  const path = join(dataDir, 'start.lock');
  const own = JSON.stringify({
    pid: process.pid,
    startTime: await processStartTime(process.pid),
    token: randomUUID(),
  });
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    if (await createLock(path, own)) {
      return { path, [Symbol.asyncDispose]: () => releaseLock(path, own) };
    }
    const found = await readIfThere(path);
    const holder = found === undefined ? undefined : await livingHolder(found);
    if (holder) {
      throw new Error(
        `agent-herald is already running here (pid ${holder.pid}, lock file ${path}); ` +
          'stop it, or set HERALD_DATA_DIR to another folder',
      );
    }
    if (found !== undefined) await removeStale(path, own);
  }
  throw new Error(`${path} keeps changing hands; remove it and start again`);
}

// A link appears only where no file is and with its content, so nobody reads a half-written lock.
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
    await unlink(draft);
  }
}

// Of several starts that find one stale lock, a late one could remove the lock that another has just
// claimed. So only the holder of a second lock removes, and checks again first.
async function removeStale(path: string, own: string): Promise<void> {
  const guard = `${path}.takeover`;
  if (!(await createLock(guard, own))) {
    const other = await readIfThere(guard);
    if (other !== undefined && !(await livingHolder(other))) await rm(guard, { force: true });
    await delay(retryAfterMs);
    return;
  }
  try {
    const found = await readIfThere(path);
    if (found !== undefined && !(await livingHolder(found))) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
}

async function releaseLock(path: string, own: string): Promise<void> {
  if ((await readIfThere(path)) === own) await rm(path, { force: true });
}

async function livingHolder(content: string): Promise<Holder | undefined> {
  const holder = parseHolder(content);
  if (!holder || !isAlive(holder.pid)) return undefined;
  if (holder.startTime === null) return holder;
  return (await processStartTime(holder.pid)) === holder.startTime ? holder : undefined;
}

function parseHolder(content: string): Holder | undefined {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { pid, startTime } = value;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return { pid, startTime: typeof startTime === 'string' ? startTime : null };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
