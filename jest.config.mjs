// How the tests run: a worker process loads each module once for all of its files (test/runner); each file
// that needs servers has a database and a namespace of its own. Faults and soaks run apart.

/** Faults that compare times or fill the machine: fewer run beside them. */
const crowded = [
  'connections',
  'costly-tenant',
  'concurrent-requests',
  'crowded-receiver',
  'due-retries',
  'hanging-receiver',
  'hostile-bodies',
  'hostile-receivers',
  'overload',
  'rolling-upgrade',
  'sign-in-storm',
].map((name) => `/faults/${name}.test.ts`);
/** Compare latencies, or need a pace that only a free machine keeps: nothing runs next to them. */
const lonely = [
  'fair-intake',
  'fair-resends',
  'fair-shares',
  'fan-out',
  'killed-in-flight',
  'live-list',
  'own-workflows',
  'webhooks-apart',
].map((name) => `/faults/${name}.test.ts`);

// The tests of `npm test`, and of its options --browser, --faults, --soak and --tools. Groups run in turn.
const suites = {
  // Files with servers wait more than they compute.
  tests: {
    folders: [
      'test/unit',
      'test/integration',
      'test/e2e',
      'test/replay',
      'test/contract',
      'console/test',
    ],
    groups: [{ maxWorkers: 4 }],
  },
  tools: { folders: ['test/tools'], groups: [{ maxWorkers: 4 }] },
  browser: { folders: ['test/browser'], groups: [{ maxWorkers: 3 }] },
  faults: {
    folders: ['test/faults'],
    groups: [
      { except: [...crowded, ...lonely], maxWorkers: 4 },
      { paths: crowded, maxWorkers: 2 },
      { paths: lonely, maxWorkers: 1, processPerFile: true },
    ],
  },
  soak: { folders: ['test/soak'], groups: [{ maxWorkers: 1, processPerFile: true }] },
};
const { folders, groups } = suites[process.env['HERALD_TEST_SUITE'] ?? 'tests'];

export default {
  roots: folders.map((folder) => `<rootDir>/${folder}`),
  testMatch: ['**/*.test.ts', '**/*.test.tsx'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'cjs', 'json'],
  transform: {},
  runner: '<rootDir>/test/runner/in-groups.mjs',
  testEnvironment: '<rootDir>/test/runner/environment.mjs',
  runtime: '<rootDir>/test/runner/runtime.cjs',
  testSequencer: '<rootDir>/test/runner/longest-first.mjs',
  globals: { groups },
  setupFilesAfterEnv: [
    '<rootDir>/test/support/cheap-passwords.ts',
    '<rootDir>/test/support/watch-shard-keys.ts',
  ],
  injectGlobals: false,
  // Streams and promises go on.
  fakeTimers: { doNotFake: ['nextTick', 'queueMicrotask'] },
  testTimeout: 180_000,
  watchman: false,
  passWithNoTests: true,
  reporters: ['default', '<rootDir>/test/runner/closing-line.mjs'],
};
