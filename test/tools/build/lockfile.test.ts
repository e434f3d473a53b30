// The lock file lists the packages of every platform, because otherwise npm ci rejects it on a clean machine.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
// @ts-expect-error: a plain script without types
import { missingEntries } from '../../../dev/complete-lockfile.mjs';

interface LockFile {
  packages: Record<string, { resolved?: string; optionalDependencies?: Record<string, string> }>;
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as LockFile;

test('every exactly pinned platform package has its entry', () => {
  expect(missingEntries(lock)).toEqual({});
});

test('a missing entry is reported with its platform', () => {
  const packages = { ...lock.packages };
  delete packages['node_modules/@rolldown/binding-linux-x64-musl'];
  expect(missingEntries({ packages })).toEqual({
    'node_modules/@rolldown/binding-linux-x64-musl': expect.objectContaining({
      os: ['linux'],
      cpu: ['x64'],
      libc: ['musl'],
    }),
  });
});

test('no entry contains the address that it was installed from', () => {
  // A workspace is a link to its folder.
  const installed = Object.values(lock.packages).filter((entry) => !('link' in entry));
  expect(installed.filter((entry) => entry.resolved !== undefined)).toEqual([]);
});
