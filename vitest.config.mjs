// How the tests run: the modules of a worker process are loaded once for all of its files; each file that
// needs servers has a database and a namespace of its own. Soaks run alone, by `npm run test:soak`.
import { defineConfig } from 'vitest/config';

const isSoak = process.env['HERALD_TEST_SOAK'] === 'true';

const project = (name, groupOrder, { folders, ...options }) => ({
  extends: true,
  test: {
    name,
    include: folders.map((folder) => `test/${folder}/**/*.test.ts`),
    sequence: { groupOrder },
    ...options,
  },
});

const soak = [project('soak', 0, { folders: ['soak'], fileParallelism: false })];
const all = [
  project('unit', 0, { folders: ['unit'] }),
  project('servers', 1, { folders: ['integration', 'e2e', 'replay', 'contract'] }),
];

export default defineConfig({
  test: {
    projects: isSoak ? soak : all,
    pool: 'forks',
    isolate: false,
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 10_000,
    reporters: ['default', './test/support/closing-line-reporter.mjs'],
  },
});
