// How the tests run: a worker process loads each module once for all of its files; each file that needs
// servers has a database and a namespace of its own. Faults and soaks run apart.
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

/** Faults that compare times or fill the machine: fewer run beside them. */
const crowded = [
  'connections',
  'costly-tenant',
  'concurrent-requests',
  'crowded-receiver',
  'due-retries',
  'fan-out',
  'hanging-receiver',
  'hostile-bodies',
  'hostile-receivers',
  'killed-in-flight',
  'overload',
  'rolling-upgrade',
  'sign-in-storm',
].map((name) => `test/faults/${name}.test.ts`);
/** Compare latencies, or need a pace that only a free machine keeps: nothing runs next to them. */
const lonely = [
  'fair-intake',
  'fair-resends',
  'fair-shares',
  'live-list',
  'own-workflows',
  'webhooks-apart',
].map((name) => `test/faults/${name}.test.ts`);
const withServers = ['integration', 'e2e', 'replay', 'contract'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

/** Begins with the files that wait most, so that none of them is left alone at the end. */
class LongestFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    const waits = ({ moduleId }) => /test\/(e2e|replay|contract)\//.test(moduleId);
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))];
  }
}

/** Projects of one order run together, a later order after an earlier one. */
const project = (name, groupOrder, options) => ({
  extends: true,
  test: {
    name,
    setupFiles: ['test/support/cheap-passwords.ts', 'test/support/watch-shard-keys.ts'],
    sequence: { groupOrder },
    ...options,
  },
});

// The tests of `npm test`, and of its options --browser, --faults, --soak and --tools.
const suites = {
  // Files with servers wait more than they compute.
  tests: [
    project('tests', 0, {
      include: ['test/unit/**/*.test.ts', 'console/test/**/*.test.ts', ...withServers],
      maxWorkers: 4,
    }),
  ],
  tools: [project('tools', 0, { include: ['test/tools/**/*.test.ts'], maxWorkers: 4 })],
  browser: [project('browser', 0, { include: ['test/browser/**/*.test.ts'], maxWorkers: 3 })],
  faults: [
    project('faults', 0, {
      include: ['test/faults/**/*.test.ts'],
      exclude: [...crowded, ...lonely],
      maxWorkers: 4,
    }),
    project('crowded', 1, { include: crowded, maxWorkers: 2 }),
    project('lonely', 2, { include: lonely, maxWorkers: 1 }),
  ],
  soak: [project('soak', 0, { include: ['test/soak/**/*.test.ts'], maxWorkers: 1, isolate: true })],
};

export default defineConfig({
  test: {
    projects: suites[process.env['HERALD_TEST_SUITE'] ?? 'tests'],
    pool: 'forks',
    isolate: false,
    sequence: { sequencer: LongestFirst },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 10_000,
    // The default, 1 s, is too short for a page on a busy machine.
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', './test/support/closing-line-reporter.mjs'],
  },
});
