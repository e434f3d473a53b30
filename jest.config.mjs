// How jest runs here: native ES modules, TypeScript through swc. Unit tests need no server; each
// integration or e2e file has a database and namespace of its own. Soaks run alone, by `npm run test:soak`.
const isSoak = process.argv.some((argument) => argument.startsWith('test/soak'));

const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.herald/', '<rootDir>/.cache/'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript' },
          experimental: { keepImportAttributes: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
};

const project = (displayName, ...folders) => ({
  ...common,
  displayName,
  testMatch: folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
});

export default {
  projects: isSoak
    ? [project('soak', 'soak')]
    : [project('unit', 'unit'), project('servers', 'integration', 'e2e', 'replay', 'contract')],
  testTimeout: 180_000,
  maxWorkers: 2,
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.mjs'],
};
