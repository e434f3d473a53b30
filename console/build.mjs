// Builds the console into a folder, compressed, unless what is there was made of the same sources.
// Usage: node console/build.mjs FOLDER
import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const consoleDir = fileURLToPath(new URL('.', import.meta.url));
const sources = [
  'console/index.html',
  'console/package.json',
  'console/public',
  'console/src',
  'console/vite.config.mjs',
  'package-lock.json',
  'packages/client-ts/src',
];
const stampName = '.made-of';
const compressed = /\.(?:js|css|svg|txt)$/;

async function filesOf(path) {
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch((error) => {
    if (error.code === 'ENOTDIR') return null;
    throw error;
  });
  if (entries === null) return [path];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

async function digestOfSources() {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const path of await filesOf(join(consoleDir, '..', source)))
      hash.update(path.slice(consoleDir.length)).update(await readFile(path));
  }
  return hash.digest('hex');
}

async function compress(folder) {
  const toBrotli = promisify(brotliCompress);
  const toGzip = promisify(gzip);
  for (const path of (await filesOf(folder)).filter((one) => compressed.test(one))) {
    const bytes = await readFile(path);
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    await writeFile(`${path}.br`, await toBrotli(bytes, { params }));
    await writeFile(`${path}.gz`, await toGzip(bytes, { level: 9 }));
  }
}

const folder = resolve(process.argv[2] ?? join(consoleDir, 'dist'));
const digest = await digestOfSources();
const stampPath = join(folder, stampName);
const before = await readFile(stampPath, 'utf8').catch(() => '');
if (before !== digest) {
  // Another process may build at the same time: each has a folder of its own, and the last one stays.
  const own = `${folder}.${process.pid}`;
  const { build } = await import('vite');
  await build({
    configFile: join(consoleDir, 'vite.config.mjs'),
    logLevel: 'warn',
    build: { outDir: own, emptyOutDir: true },
  });
  await compress(own);
  await writeFile(join(own, stampName), digest);
  await rm(folder, { recursive: true, force: true });
  await rename(own, folder).catch(async (error) => {
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
    await rm(own, { recursive: true });
  });
}
