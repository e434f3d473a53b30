// `npm test`: finds or installs the servers, starts those that all test files share, runs Jest. A run
// of only unit tests starts none; `--browser`, `--faults`, `--soak` and `--tools` run those tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Disposal } from '../lib/platform/disposal.ts';
import { runCommand } from '../lib/platform/run-command.ts';
import { findChromium } from '../dev/browser/find-chromium.ts';
import { findBinaries } from '../dev/servers/find-binary.ts';
import { startMongodb } from '../dev/servers/mongodb.ts';
import { isAlive } from '../dev/servers/process-identity.ts';
import { startTemporalDevServer } from '../dev/servers/temporal.ts';
import { buildService } from './runner/build.ts';

const progress = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const folderOfRuns = join('.cache', 'test');

const given = process.argv.slice(2);
const suite =
  (['browser', 'faults', 'soak', 'tools'] as const).find((name) => given.includes(`--${name}`)) ??
  'tests';
const args = given.filter((argument) => argument !== `--${suite}`);

/** Checks whether the command line names files, and only unit tests. */
function asksForUnitTestsAlone(): boolean {
  const paths = args.filter((argument) => /^(?:console|test)\//.test(argument));
  return paths.length > 0 && paths.every((path) => /^(?:console\/test|test\/unit)/.test(path));
}

async function runTests(): Promise<number> {
  if (asksForUnitTestsAlone()) return runJest({});
  const open = new Disposal();
  try {
    const names = ['mongod', 'temporal', 'temporal-test-server'] as const;
    const binaries = await findBinaries(names, { progress });
    const folder = await makeFolderOfRun();
    open.defer(() => rm(folder, { recursive: true }));
    const common = { dataDir: null, port: 0, progress: () => undefined };
    const [built, mongodb, temporal] = await Promise.all([
      buildService(folder),
      startMongodb({ ...common, binary: binaries.mongod }).then((server) => open.use(server)),
      startTemporalDevServer({
        ...common,
        binary: binaries.temporal,
        uiPort: null,
        namespaces: ['default'],
      }).then((server) => open.use(server)),
    ]);
    return await runJest({
      HERALD_TEST_MONGODB_URI: mongodb.uri,
      HERALD_TEST_TEMPORAL_ADDRESS: temporal.address,
      HERALD_TEST_TIME_SKIPPING_SERVER: binaries['temporal-test-server'],
      HERALD_TEST_WORKFLOW_BUNDLE: built.bundle,
      HERALD_TEST_BUILD: built.folder,
      // Before the workers, which would unpack it side by side.
      ...(suite === 'browser' ? { HERALD_CHROMIUM: await findChromium(process.env) } : {}),
    });
  } finally {
    await open[Symbol.asyncDispose]();
  }
}

/** Creates the build folder of this run, and removes those of killed runs. */
async function makeFolderOfRun(): Promise<string> {
  await mkdir(folderOfRuns, { recursive: true });
  for (const entry of await readdir(folderOfRuns)) {
    const pid = Number(/^run-(\d+)$/.exec(entry)?.[1]);
    const isOver = pid === process.pid || !isAlive(pid);
    if (Number.isNaN(pid) || !isOver) continue;
    await rm(join(folderOfRuns, entry), { recursive: true, force: true });
  }
  const folder = join(folderOfRuns, `run-${process.pid}`);
  await mkdir(folder);
  return folder;
}

async function runJest(servers: Record<string, string>): Promise<number> {
  const jest = join('node_modules', 'jest', 'bin', 'jest.js');
  // The worker processes take over the flags of this one.
  const child = spawn(process.execPath, ['--no-warnings', '--import', 'tsx', jest, ...args], {
    stdio: 'inherit',
    env: {
      HERALD_LOG_LEVEL: 'fatal',
      ...process.env,
      ...servers,
      HERALD_TEST_SUITE: suite,
    },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

await runCommand(async () => {
  process.exitCode = await runTests();
});
process.exit();
