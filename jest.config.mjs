// How jest runs here: native ES modules, TypeScript through swc, one database and namespace a test file.
// Soaks run alone, by `npm run test:soak`.
const isSoak = process.argv.some((argument) => argument.startsWith('test/soak'));

export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: isSoak ? [] : ['<rootDir>/test/soak/'],
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
  testTimeout: 180_000,
  maxWorkers: 2,
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.mjs'],
};
