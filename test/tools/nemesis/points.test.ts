// The program that lists the points of a source text, and what a process with the instrumented text does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { instrument, listAwaits } from '../../nemesis/points/list-awaits.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-points-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function listOf(text: string): Promise<ReturnType<typeof listAwaits>[number]> {
  await writeFile(join(folder, 'given.ts'), text);
  const config = join(folder, 'tsconfig.json');
  const compilerOptions = { noLib: true, types: [] };
  await writeFile(config, JSON.stringify({ compilerOptions, files: ['given.ts'] }));
  const [file] = listAwaits(config);
  if (file === undefined) throw new Error('the file was not listed');
  return file;
}

const everyForm = `
export async function outer(): Promise<void> {
  await one(await two());
  for await (const item of three()) await four(item);
  await using resource = await five();
  const inner = async () => await six();
  await Promise.all([].map(async () => await seven()));
}
export const handler = wrap(async () => { await eight(); });
const handlers = { async nine() { await nine(); }, ten: async () => await ten() };
await eleven();
`;

test('each form of await is listed once, under its function, in the order of the text', async () => {
  const { text, points } = await listOf(everyForm);
  const listed = points.map(({ name, wrapper, start, end }) => [
    name.replace('given.ts:', ''),
    wrapper,
    text.slice(start, end),
  ]);
  expect(listed).toEqual([
    ['outer:1', 'settled', 'one(await two())'],
    ['outer:2', 'settled', 'two()'],
    ['outer:3', 'eachOf', 'three()'],
    ['outer:4', 'settled', 'four(item)'],
    ['outer:5', 'disposed', 'await five()'],
    ['outer:6', 'settled', 'five()'],
    ['inner:1', 'settled', 'six()'],
    ['outer:7', 'settled', 'Promise.all([].map(async () => await seven()))'],
    ['outer:8', 'settled', 'seven()'],
    ['handler:1', 'settled', 'eight()'],
    ['nine:1', 'settled', 'nine()'],
    ['ten:1', 'settled', 'ten()'],
    ['module:1', 'settled', 'eleven()'],
  ]);
});

test('names stay the same where lines are added, and in the instrumented text every line stays where it is', async () => {
  const before = await listOf(everyForm);
  const after = await listOf(`// Added.\n${everyForm.replaceAll(';', ';\n')}`);
  const namesOf = ({ points }: typeof before): string[] => points.map(({ name }) => name);
  expect(namesOf(after)).toEqual(namesOf(before));
  expect(instrument(before).split('\n')).toHaveLength(everyForm.split('\n').length);
});

/** Writes a letter after each point that it passes. */
const letters = `
async function* numbers() { yield 1; yield 2; }
const open = () => ({ async [Symbol.asyncDispose]() { process.stdout.write('d'); } });
async function walk(): Promise<void> {
  await using opened = open();
  await Promise.reject(new Error('refused')).catch(() => process.stdout.write('a'));
  for await (const number of numbers()) process.stdout.write(String(number));
  await (async () => { throw new Error('thrown'); })().catch(() => process.stdout.write('b'));
}
void walk();
`;

/** Runs the text once. Returns its output, and the signal that ended it. */
async function run(): Promise<[string, string | null]> {
  const path = join(folder, 'instrumented.mts');
  await writeFile(path, instrument(await listOf(letters)));
  const runtime = new URL('../../nemesis/points/runtime.mjs', import.meta.url).href;
  const args = ['--import', 'tsx', '--import', runtime, path];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, HERALD_POINTS: folder, HERALD_POINTS_PROCESS: 'api-1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  return [output, signal];
}

const arm = (): Promise<void> => writeFile(join(folder, 'api-1.armed'), '');

test('a process is killed only while it is armed', async () => {
  expect(await run()).toEqual(['a12bd', null]);
});

test('a process is killed at each point once, after it has settled, and the last one does the same as the text', async () => {
  const runs: [string, string | null][] = [];
  do {
    await arm();
    runs.push(await run());
  } while (runs.at(-1)?.[1] === 'SIGKILL');
  expect(runs).toEqual([
    ['a', 'SIGKILL'],
    ['a', 'SIGKILL'],
    ['a12b', 'SIGKILL'],
    ['a12bd', 'SIGKILL'],
    ['a12bd', null],
  ]);
});
