// `npm run test:packages`: runs the tests of each package whose toolchain is installed, and compares its results.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { Disposal } from '../../lib/platform/disposal.ts';
import { runCommand } from '../../lib/platform/run-command.ts';
import { print, timed } from '../servers/print.ts';
import { canRun, reasonOf } from '../servers/run-program.ts';
import { makeTemporaryFolder } from '../servers/temporary-folder.ts';
import { launch } from '../start/launch.ts';
import { receiverCases } from '../../test/support/receiver-cases.ts';
import { type TestedPackage, testedPackages } from './packages.ts';

const help = `Usage: npm run test:packages [-- NAME…]

Tests the packages in packages/ whose toolchain is there: all, or those named. Receivers must judge the cases of
packages/receiver-cases as these say. Python packages are tested in an environment in .cache, made from PyPI; clients call a
service that is started for them. quickstart runs the commands of docs/quickstart.md.

  --help  shows this
`;

interface RunOptions {
  readonly output?: 'inherit' | 'pipe';
  readonly env?: Readonly<Record<string, string>> | undefined;
}

const pathOf = (name: string) => fileURLToPath(new URL(`../../packages/${name}`, import.meta.url));

function chosenPackages(): readonly TestedPackage[] {
  const { positionals } = parseArgs({ options: {}, allowPositionals: true });
  const known = testedPackages.map(({ name }) => name);
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`no such package: ${unknown.join(', ')}; there are ${known.join(', ')}`);
  return testedPackages.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
}

/** Throws if a test fails, or a result differs from the expected one. */
async function testPackage(tested: TestedPackage): Promise<void> {
  const { name, folder = name, probe, needs, prepare, judge } = tested;
  if (!(await canRun(probe))) return print(`${name}: skipped: ${needs} is missing`);
  await timed(`${name}: passed`, async () => {
    await prepare?.(pathOf(folder));
    await runTests(tested);
    if (judge === undefined) return;
    const wrong = misjudged(await run(folder, judge, { output: 'pipe' }));
    if (wrong.length > 0) throw new Error(`differs in: ${wrong.join('; ')}`);
  });
}

/** Returns the names of the cases whose result differs. The output has the results by name. */
function misjudged(output: string): string[] {
  const verdicts = JSON.parse(output) as Record<string, unknown>;
  return receiverCases.deliveries
    .filter(({ name, expect }) => !isDeepStrictEqual(verdicts[name], expect))
    .map(({ name }) => name);
}

async function runTests({
  name,
  folder = name,
  tests,
  callsService,
}: TestedPackage): Promise<void> {
  await using open = new Disposal();
  const env = callsService === true ? await startService(open) : {};
  for (const command of tests) await run(folder, command, { env });
}

/** Starts a service for the tests of a client, and returns its address and key as environment variables. */
async function startService(open: Disposal): Promise<Readonly<Record<string, string>>> {
  const dataDir = await makeTemporaryFolder(open, 'packages');
  const env = { ...process.env, PORT: '0' };
  const { dev } = open.use(await launch({ env, dataDir, ephemeral: true, progress: print }));
  const { apiUrl, appUid, apiKey } = dev;
  return { HERALD_URL: apiUrl, HERALD_APP_UID: appUid, HERALD_API_KEY: apiKey };
}

/** Runs a command in a folder. Returns its output unless that is shown. */
async function run(
  folder: string,
  [program = '', ...args]: readonly string[],
  { output = 'inherit', env = {} }: RunOptions,
): Promise<string> {
  const child = spawn(program, args, {
    cwd: pathOf(folder),
    env: { ...process.env, ...env },
    stdio: ['ignore', output, 'inherit'],
  });
  const chunks: string[] = [];
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`${[program, ...args].join(' ')} ended with ${code ?? signal}`);
  return chunks.join('');
}

await runCommand(async () => {
  const failures: string[] = [];
  for (const tested of chosenPackages()) {
    await testPackage(tested).catch((error: unknown) => {
      failures.push(`${tested.name}: ${reasonOf(error)}`);
    });
  }
  if (failures.length > 0) throw new Error(failures.join('\n'));
}, help);
process.exit();
