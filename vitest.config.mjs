// How the tests run: a worker process loads each module once for all of its files; each file that needs
// servers has a database and a namespace of its own. Soaks run alone, by `npm run test:soak`.
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';

const isSoak = process.env['HERALD_TEST_SOAK'] === 'true';

/** The tests that compare times or fill the machine: fewer run beside them. */
const timed = [
  'test/e2e/{connections-at-once,connections-of-an-address,hanging-receiver}.test.ts',
  'test/integration/api/{hostile-bodies,overload,sign-in-storm,slow-sockets}.test.ts',
  'test/integration/cost/cost-per-event.test.ts',
  'test/integration/deliveries/{crowded-receiver,fan-out}.test.ts',
  'test/integration/egress/{concurrent-requests,hostile-receivers,paused-process}.test.ts',
];
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
    setupFiles: ['test/support/cheap-passwords.ts'],
    sequence: { groupOrder },
    ...options,
  },
});

const soak = [
  project('soak', 0, { include: ['test/soak/**/*.test.ts'], maxWorkers: 1, isolate: true }),
];
const all = [
  project('unit', 0, {
    include: ['test/unit/**/*.test.ts', 'console/test/**/*.test.ts'],
    maxWorkers: 4,
    setupFiles: [],
  }),
  // They wait more than they compute.
  project('servers', 0, { include: withServers, exclude: timed, maxWorkers: 4 }),
  project('timed', 1, { include: timed, maxWorkers: 2 }),
  project('browser', 2, { include: ['test/browser/**/*.test.ts'], maxWorkers: 2 }),
];

export default defineConfig({
  test: {
    projects: isSoak ? soak : all,
    pool: 'forks',
    isolate: false,
    sequence: { sequencer: LongestFirst },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 10_000,
    reporters: ['default', './test/support/closing-line-reporter.mjs'],
  },
});
