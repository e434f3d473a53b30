// Third-party code: copies match docs/dependencies.md and are not old, licenses are shipped, and the lock file lists the
// packages of every platform, because otherwise npm ci rejects it on a clean machine.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
// @ts-expect-error: a plain script without types
import { missingEntries } from '../../../dev/complete-lockfile.mjs';

const table = readFileSync('docs/dependencies.md', 'utf8');
const [, version = '', released = ''] =
  /^\| `docs\/reference\/scalar\.js\.gz` \|.* (\d+\.\d+\.\d+),.*\| (\d{4}-\d\d-\d\d) \|$/m.exec(
    table,
  ) ?? [];

test('the script behind /docs has the version in the table', () => {
  const script = gunzipSync(readFileSync('docs/reference/scalar.js.gz')).toString();
  expect(version).not.toBe('');
  expect(script).toContain(`@scalar/api-reference@${version}`);
});

test('the script behind /docs was released within the last year', () => {
  const end = new Date(`${released}T00:00:00Z`);
  end.setUTCFullYear(end.getUTCFullYear() + 1);
  expect(end.getTime()).toBeGreaterThan(Date.now());
});

test('the notices name the packages of production and the copied code, but none for development', () => {
  const folder = mkdtempSync(join(tmpdir(), 'notices-'));
  const file = join(folder, 'THIRD_PARTY_NOTICES');
  execFileSync(process.execPath, ['deploy/third-party-notices.mjs', file]);
  const lines = readFileSync(file, 'utf8').split('\n');
  rmSync(folder, { recursive: true });
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    [list: string]: Record<string, string>;
  };
  const isNamed = ([name, version]: [string, string]) => lines.includes(`${name} ${version}`);
  expect(Object.entries(dependencies ?? {}).filter((each) => !isNamed(each))).toEqual([]);
  expect(isNamed(['prettier', devDependencies?.['prettier'] ?? ''])).toBe(false);
  expect(lines).toEqual(expect.arrayContaining(['docs/reference/scalar.js.gz']));
  expect(lines).toEqual(expect.arrayContaining(['lib/access/common-passwords.ts']));
});

interface LockFile {
  packages: Record<string, { resolved?: string; optionalDependencies?: Record<string, string> }>;
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile;

test('every exactly pinned platform package has its entry', () => {
  expect(missingEntries(lock)).toEqual({});
});

test('no entry contains the address that it was installed from', () => {
  // A workspace is a link to its folder.
  const installed = Object.values(lock.packages).filter((entry) => !('link' in entry));
  expect(installed.filter((entry) => entry.resolved !== undefined)).toEqual([]);
});
