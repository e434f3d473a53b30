// The servers that `npm test` starts for all test files.

function setting(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new Error(`${name} is not set: run the tests with npm test, not with jest alone`);
  return value;
}

/** Returns the addresses and paths of the shared servers. */
export function testServers(): {
  mongodbUri: string;
  temporalAddress: string;
  timeSkippingServer: string;
  workflowBundle: string;
  /** The folder of the compiled service. */
  build: string;
} {
  return {
    mongodbUri: setting('HERALD_TEST_MONGODB_URI'),
    temporalAddress: setting('HERALD_TEST_TEMPORAL_ADDRESS'),
    timeSkippingServer: setting('HERALD_TEST_TIME_SKIPPING_SERVER'),
    workflowBundle: setting('HERALD_TEST_WORKFLOW_BUNDLE'),
    build: setting('HERALD_TEST_BUILD'),
  };
}
