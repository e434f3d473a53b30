// `npm run mutants [-- [--record] name …]`: plants each fault of mutants.json in a copy of the repository, and runs the
// tests that should catch it. Fails if one survives. Prints which rule caught it, and after how long.
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { MutantResult, MutantResults } from '../../dev/reliability/results.ts';

interface Mutant {
  name: string;
  file: string;
  /** Occurs once in the file. */
  from: string;
  to: string;
  tests: string[];
}

const resultsPath = 'test/mutants/results.json';
const timeoutMs = 600_000;

/** Makes a copy of the tracked files. Returns its folder. */
async function copyRepository(): Promise<string> {
  await mkdir('.cache/mutants', { recursive: true });
  const folder = await mkdtemp('.cache/mutants/copy-');
  const files = execFileSync('git', ['ls-files', '-z']);
  execFileSync('xargs', ['-0', 'cp', '--parents', '-t', folder], { input: files });
  const root = process.cwd();
  await mkdir(join(folder, '.cache'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await symlink(join(root, '.cache/servers'), join(folder, '.cache/servers'));
  return folder;
}

/** Runs a program in the copy. Returns its exit code and output. */
function run(folder: string, args: string[]): Promise<{ code: number | null; output: string }> {
  const options = { cwd: folder, timeout: timeoutMs };
  const child = spawn(process.execPath, ['--import', 'tsx', ...args], options);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** Returns the rule that failed, or null if all tests passed. Throws if no test ran. */
async function tryMutant(
  folder: string,
  { file, from, to, tests }: Mutant,
): Promise<string | null> {
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  if (text.split(from).length !== 2) throw new Error(`"${from}" must occur once in ${file}`);
  const mutated = text.replace(from, () => to);
  await writeFile(path, mutated);
  try {
    const { code, output } = await run(folder, ['test/main.ts', '--bail=1', ...tests]);
    if (code === 0) return null;
    const [, rule] = /^ {2}● (.+)$/m.exec(output) ?? [];
    if (rule === undefined) throw new Error(`the tests did not run:\n${output.slice(-2_000)}`);
    return rule;
  } finally {
    await writeFile(path, text);
  }
}

/** Replaces the results of the mutants that ran, and drops those of mutants that no longer exist. */
async function record(all: readonly Mutant[], made: readonly MutantResult[]): Promise<void> {
  const text = await readFile(resultsPath, 'utf8').catch(() => '{"mutants":[]}');
  const before = (JSON.parse(text) as MutantResults).mutants;
  const mutants = all.flatMap(
    ({ name }) => [made, before].flat().find((each) => each.name === name) ?? [],
  );
  const results: MutantResults = {
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
    seconds: mutants.reduce((sum, { seconds }) => sum + seconds, 0),
    caught: mutants.filter(({ caughtBy }) => caughtBy !== null).length,
    mutants,
  };
  await writeFile(resultsPath, `${JSON.stringify(results, null, 2)}\n`);
}

const { values, positionals: wanted } = parseArgs({
  options: { record: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const all = JSON.parse(await readFile('test/mutants/mutants.json', 'utf8')) as Mutant[];
const unknown = wanted.filter((name) => !all.some((mutant) => mutant.name === name));
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}`);
const mutants = all.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const folder = await copyRepository();
const made: MutantResult[] = [];
try {
  process.stdout.write('| fault | caught by | after |\n| --- | --- | --- |\n');
  for (const mutant of mutants) {
    const startMs = performance.now();
    const caughtBy = await tryMutant(folder, mutant);
    const seconds = Math.round((performance.now() - startMs) / 1_000);
    made.push({ name: mutant.name, caughtBy, seconds });
    if (values.record) await record(all, made);
    process.stdout.write(`| ${mutant.name} | ${caughtBy ?? '**nothing**'} | ${seconds} s |\n`);
  }
} finally {
  await rm(folder, { recursive: true });
}
const caught = made.filter(({ caughtBy }) => caughtBy !== null).length;
process.stdout.write(`${caught} of ${made.length} caught\n`);
process.exitCode = caught === made.length ? 0 : 1;
