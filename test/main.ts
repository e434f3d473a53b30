// `npm test`: finds or installs the servers, starts those that all test files share, runs jest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Disposal } from '../lib/disposal.ts';
import { runCommand } from '../lib/run-command.ts';
import { findBinaries } from '../servers/find-binary.ts';
import { startMongodb } from '../servers/mongodb.ts';
import { startTemporalDevServer } from '../servers/temporal.ts';
import { writeWorkflowBundle } from '../worker/bundle-workflows.ts';

const progress = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const bundlePath = join('.cache', 'test', 'workflow-bundle.js');

async function runTests(): Promise<number> {
  const open = new Disposal();
  try {
    const names = ['mongod', 'temporal', 'temporal-test-server'] as const;
    const binaries = await findBinaries(names, { progress });
    const common = { dataDir: null, port: 0, progress: () => undefined };
    const [mongodb, temporal] = await Promise.all([
      startMongodb({ ...common, binary: binaries.mongod }).then((server) => open.use(server)),
      startTemporalDevServer({
        ...common,
        binary: binaries.temporal,
        uiPort: null,
        namespaces: ['default'],
      }).then((server) => open.use(server)),
      writeWorkflowBundle(bundlePath),
    ]);
    return await runJest({
      HERALD_TEST_MONGODB_URI: mongodb.uri,
      HERALD_TEST_TEMPORAL_ADDRESS: temporal.address,
      HERALD_TEST_TIME_SKIPPING_SERVER: binaries['temporal-test-server'],
      HERALD_TEST_WORKFLOW_BUNDLE: bundlePath,
    });
  } finally {
    await open[Symbol.asyncDispose]();
  }
}

async function runJest(servers: Record<string, string>): Promise<number> {
  const jest = join('node_modules', 'jest', 'bin', 'jest.js');
  const args = ['--experimental-vm-modules', '--no-warnings', jest, ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, {
    stdio: 'inherit',
    env: { HERALD_LOG_LEVEL: 'fatal', ...process.env, ...servers },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

await runCommand(async () => {
  process.exitCode = await runTests();
});
process.exit();
