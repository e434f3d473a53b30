import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCode } from '../../lib/platform/error-code.ts';
import { entityTagOf } from '../http/entity-tag.ts';

interface Form {
  bytes: Buffer;
  etag: string;
}

export interface ConsoleFile {
  type: string;
  /** The same content in each available encoding. */
  forms: Readonly<Record<'br' | 'gzip' | 'identity', Form>>;
}

export interface ConsoleFiles {
  /** The placeholders `__NONCE__` and `__BASE__` must be replaced. */
  page: string;
  /** By the path below the base of the page. */
  files: ReadonlyMap<string, ConsoleFile>;
}

// Next to the built code, and in a checkout: the output folder of console/build.mjs.
const folder = fileURLToPath(new URL('../../console/dist', import.meta.url));

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** Reads the built console (about 3 MB) into memory. Returns null if it has not been built. */
export async function readConsoleFiles(): Promise<ConsoleFiles | null> {
  const page = await readFile(join(folder, 'index.html'), 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (page === null) return null;
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries
    .filter((entry) => entry.isFile() && extname(entry.name) in types)
    .map((entry) => join(entry.parentPath, entry.name));
  const files = await Promise.all(
    paths.map(async (path) => {
      const name = relative(folder, path).split(sep).join('/');
      return [name, await readConsoleFile(path)] as const;
    }),
  );
  return { page, files: new Map(files) };
}

async function readConsoleFile(path: string): Promise<ConsoleFile> {
  const [identity, br, gzip] = await Promise.all([
    readForm(path),
    readForm(`${path}.br`),
    readForm(`${path}.gz`),
  ]);
  return { type: types[extname(path)] ?? '', forms: { identity, br, gzip } };
}

async function readForm(path: string): Promise<Form> {
  const bytes = await readFile(path);
  return { bytes, etag: entityTagOf(bytes) };
}
