// A wheel is installed only if its SHA-256 is pinned. With the pip of this machine, and wheels made here.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installPinned, type Pip } from '../../../dev/python/install-pinned.ts';
import { canRun, runProgram } from '../../../dev/servers/run-program.ts';

const pip: Pip = ['python3', '-m', 'pip'];
const hasPip = await canRun([...pip, '--version']);
const wheelName = 'tried-1.0-py3-none-any.whl';
const timeoutMs = 60_000;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'install-pinned-'));
});
afterEach(async () => rm(folder, { recursive: true }));

/** Writes a wheel with one module. Returns its SHA-256. */
async function writeWheel(code: string): Promise<string> {
  const facts = join(folder, 'tried-1.0.dist-info');
  await mkdir(facts, { recursive: true });
  await writeFile(join(facts, 'METADATA'), 'Metadata-Version: 2.1\nName: tried\nVersion: 1.0\n');
  await writeFile(join(facts, 'WHEEL'), 'Wheel-Version: 1.0\nTag: py3-none-any\n');
  const files = ['tried.py', 'METADATA', 'WHEEL'].map((name) =>
    name === 'tried.py' ? name : `tried-1.0.dist-info/${name}`,
  );
  await writeFile(join(facts, 'RECORD'), files.map((name) => `${name},,\n`).join(''));
  await writeFile(join(folder, 'tried.py'), code);
  const wheel = join(folder, wheelName);
  await runProgram('python3', ['-m', 'zipfile', '-c', wheel, join(folder, 'tried.py'), facts], {
    timeoutMs,
  });
  return createHash('sha256')
    .update(await readFile(wheel))
    .digest('hex');
}

async function install(pins: string): Promise<string[]> {
  const requirements = join(folder, 'tried.txt');
  await writeFile(requirements, pins);
  const target = join(folder, 'installed');
  // Only the wheel of this test, without an index.
  const env = { ...process.env, PIP_NO_INDEX: '1', PIP_FIND_LINKS: folder };
  await installPinned(pip, requirements, { env, target });
  return readdir(target);
}

test.skipIf(!hasPip)('the pinned file is installed', { timeout: timeoutMs }, async () => {
  const hash = await writeWheel('answer = 42\n');
  const installed = await install(
    `tried==1.0 --hash=sha256:${'0'.repeat(64)} --hash=sha256:${hash}\n`,
  );
  expect(installed).toContain('tried.py');
});

test.skipIf(!hasPip)(
  'a changed file is refused in one sentence',
  { timeout: timeoutMs },
  async () => {
    const hash = await writeWheel('answer = 42\n');
    await writeWheel('answer = 43\n');
    await expect(install(`tried==1.0 --hash=sha256:${hash}\n`)).rejects.toThrow(
      'a downloaded file has another SHA-256 than tried.txt pins, so it was not installed',
    );
  },
);

test.skipIf(!hasPip)('a file without a pin is refused', { timeout: timeoutMs }, async () => {
  await writeWheel('answer = 42\n');
  await expect(install('tried==1.0\n')).rejects.toThrow();
  expect(await readdir(folder)).not.toContain('installed');
});
