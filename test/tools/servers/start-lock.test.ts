// The start lock: one process per data folder, and no lock outlives its process.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processStartTime } from '../../../dev/servers/process-identity.ts';
import { takeStartLock } from '../../../dev/servers/start-lock.ts';

let dataDir: string;
let lockFile: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'start-lock-test-'));
  lockFile = join(dataDir, 'start.lock');
});

afterEach(async () => {
  await rm(dataDir, { recursive: true });
});

function deadPid(): number {
  return spawnSync('true').pid;
}

test('the lock is held until it is disposed of, and leaves no file', async () => {
  const folder = join(dataDir, 'made', 'on', 'demand');
  {
    await using lock = await takeStartLock(folder);
    expect(JSON.parse(await readFile(lock.path, 'utf8'))).toMatchObject({ pid: process.pid });
  }
  expect(await readdir(folder)).toEqual([]);
});

test('a second start is refused in one sentence with the process, the file and the setting', async () => {
  await using _lock = await takeStartLock(dataDir);
  await expect(takeStartLock(dataDir)).rejects.toThrow(
    `agent-herald is already running here (pid ${process.pid}, lock file ${lockFile}); ` +
      'stop it, or set HERALD_DATA_DIR to another folder',
  );
  expect(await readdir(dataDir)).toEqual(['start.lock']);
});

test('the lock of a process that has ended can be acquired', async () => {
  await writeFile(lockFile, JSON.stringify({ pid: deadPid(), startTime: '1' }));
  await using _lock = await takeStartLock(dataDir);
  expect(JSON.parse(await readFile(lockFile, 'utf8'))).toMatchObject({ pid: process.pid });
});

test('a lock whose process number now belongs to another process can be acquired', async () => {
  const startTime = `${await processStartTime(process.pid)}0`;
  await writeFile(lockFile, JSON.stringify({ pid: process.pid, startTime }));
  await using _lock = await takeStartLock(dataDir);
  expect(await readFile(lockFile, 'utf8')).not.toContain(startTime);
});

test.each([
  ['is empty', ''],
  ['is not JSON', 'pid 12'],
  ['names no process', '{"pid":"12"}'],
  ['names process 0', '{"pid":0}'],
  ['is null', 'null'],
])('a lock file that %s is replaced', async (_fault, content) => {
  await writeFile(lockFile, content);
  await using _lock = await takeStartLock(dataDir);
  expect(JSON.parse(await readFile(lockFile, 'utf8'))).toMatchObject({ pid: process.pid });
});

test('a lock without a start time is respected while its process lives', async () => {
  await writeFile(lockFile, JSON.stringify({ pid: process.pid, startTime: null }));
  await expect(takeStartLock(dataDir)).rejects.toThrow(`pid ${process.pid}`);
});

test("disposing of a lock does not remove another process's lock", async () => {
  const lock = await takeStartLock(dataDir);
  await writeFile(lockFile, 'another');
  await lock[Symbol.asyncDispose]();
  expect(await readFile(lockFile, 'utf8')).toBe('another');
});
