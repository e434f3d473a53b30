// `npm run test:packages`: the tests of the packages whose toolchain is there, and what each makes of the cases.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { canRun, reasonOf } from '../servers/run-program.ts';
import {
  type Column,
  caseMatrix,
  differences,
  type ReceiverCase,
  type Verdicts,
} from './case-matrix.ts';
import { type TestedPackage, testedPackages } from './packages.ts';
import { startService, type StartedService } from './service.ts';

const help = `Usage: npm run test:packages [-- NAME…]

Tests the packages in packages/ whose toolchain is there: all, or those named. Prints what each makes of the cases
of packages/receiver-cases. Python packages are tested in an environment in .cache, made from PyPI; clients call a
service that is started for them. quickstart runs the commands of docs/quickstart.md.

  --help  shows this
`;

interface RunOptions {
  readonly output?: 'inherit' | 'pipe';
  readonly env?: Readonly<Record<string, string>> | undefined;
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
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

/** Returns its verdicts on the cases, null where it judges none. Throws when a test fails. */
async function testPackage(tested: TestedPackage): Promise<Verdicts | null> {
  const { name, folder = name, probe, needs, prepare, judge } = tested;
  const startedAt = performance.now();
  if (!(await canRun(probe))) {
    print(`${name}: skipped: ${needs} is missing`);
    return judge === undefined ? null : 'skipped';
  }
  await prepare?.(pathOf(folder));
  await runTests(tested);
  const verdicts = judge && (JSON.parse(await run(folder, judge, { output: 'pipe' })) as Verdicts);
  print(`${name}: passed in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  return verdicts ?? null;
}

async function runTests({
  name,
  folder = name,
  tests,
  callsService,
}: TestedPackage): Promise<void> {
  const service: StartedService | null = callsService === true ? await startService() : null;
  try {
    for (const command of tests) await run(folder, command, { env: service?.env });
  } finally {
    await service?.[Symbol.asyncDispose]();
  }
}

/** Runs a command in a folder. Returns its output, if that is not shown. */
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
  const file = await readFile(`${pathOf('receiver-cases')}/deliveries.json`, 'utf8');
  const cases = (JSON.parse(file) as { deliveries: ReceiverCase[] }).deliveries;
  const columns: Column[] = [];
  const failures: string[] = [];
  for (const tested of chosenPackages()) {
    const { name } = tested;
    const verdicts = await testPackage(tested).catch((error: unknown): Verdicts | null => {
      failures.push(`${name}: ${reasonOf(error)}`);
      return tested.judge === undefined ? null : 'failed';
    });
    if (verdicts === null) continue;
    columns.push({ name, verdicts });
    const wrong = differences(cases, verdicts);
    if (wrong.length > 0) failures.push(`${name} differs in: ${wrong.join('; ')}`);
  }
  if (columns.length > 0) print(`\n${caseMatrix(cases, columns).join('\n')}\n`);
  if (failures.length > 0) throw new Error(failures.join('\n'));
}, help);
