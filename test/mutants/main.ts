// `npm run mutants [-- name …]`: plants each fault of mutants.json in a copy of the repository, and runs the tests that
// should catch it. Fails if one survives. Prints which rule caught it, and after how long.
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Mutant {
  name: string;
  file: string;
  /** Occurs once in the file. */
  from: string;
  to: string;
  tests: string[];
}

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

/** Runs tests in the copy. Returns their exit code and output. */
function runTests(
  folder: string,
  tests: string[],
): Promise<{ code: number | null; output: string }> {
  const args = ['--import', 'tsx', 'test/main.ts', '--bail=1', ...tests];
  const child = spawn(process.execPath, args, { cwd: folder, timeout: timeoutMs });
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
    const { code, output } = await runTests(folder, tests);
    if (code === 0) return null;
    const [, rule] = /^ {2}● (.+)$/m.exec(output) ?? [];
    if (rule === undefined) throw new Error(`the tests did not run:\n${output.slice(-2_000)}`);
    return rule;
  } finally {
    await writeFile(path, text);
  }
}

const all = JSON.parse(await readFile('test/mutants/mutants.json', 'utf8')) as Mutant[];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.some((mutant) => mutant.name === name));
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(', ')}`);
const mutants = all.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const folder = await copyRepository();
let caught = 0;
try {
  process.stdout.write('| fault | caught by | after |\n| --- | --- | --- |\n');
  for (const mutant of mutants) {
    const startMs = performance.now();
    const rule = await tryMutant(folder, mutant);
    if (rule !== null) caught += 1;
    const seconds = Math.round((performance.now() - startMs) / 1_000);
    process.stdout.write(`| ${mutant.name} | ${rule ?? '**nothing**'} | ${seconds} s |\n`);
  }
} finally {
  await rm(folder, { recursive: true });
}
process.stdout.write(`${caught} of ${mutants.length} caught\n`);
process.exitCode = caught === mutants.length ? 0 : 1;
