// The metrics count from the syntax tree, for any texts and comments.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { CodeFile } from '../../../dev/metrics/code-file.ts';
import { importCycles, reachedFrom } from '../../../dev/metrics/import-graph.ts';
import { measure, median, roomOf } from '../../../dev/metrics/measure.ts';
import { proseLines } from '../../../dev/metrics/prose.ts';
import { readTree } from '../../../dev/metrics/read-tree.ts';
import { toMarkdown } from '../../../dev/metrics/to-markdown.ts';

/** Parses texts as the files of a tree of their own. */
function readTexts(texts: Record<string, string>): CodeFile[] {
  const tsconfig = JSON.stringify({ compilerOptions: { noLib: true, types: [] } });
  const root = mkdtempSync(join(tmpdir(), 'herald-metrics-'));
  try {
    for (const [name, text] of Object.entries({ 'tsconfig.json': tsconfig, ...texts })) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    return readTree(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

function readText(text: string): CodeFile {
  const [file] = readTexts({ 'file.ts': text });
  if (file === undefined) throw new Error('the text was not read');
  return file;
}

test('lines of comments are those that the tokenizer finds, not text that looks like one', () => {
  const text = [
    '// a comment',
    "const a = 'https://example.com'; // and one behind code",
    'const b = /[/]*\\/\\//;',
    'const c = `// no ${b} /* nor */ ${a} // this`;',
    '/* one',
    '   of two lines */',
    'if (a) {',
    '  /** in a block */',
    '}',
    '',
  ].join('\n');
  expect(readText(text)).toMatchObject({ lines: 9, commentLines: 5 });
});

test('a function counts from its first word to its brace, under the name that callers use', () => {
  const text = [
    '/** Not part of it. */',
    'export function outer(): void {',
    '  const inner = (): void => {};',
    '  [1].forEach(() => {',
    '    inner();',
    '  });',
    '}',
    'const short = (n: number) => n;',
    'class C {',
    '  method(): void {}',
    '}',
    '',
  ].join('\n');
  expect(readText(text).functions).toEqual([
    { name: 'outer', line: 2, lines: 6 },
    { name: 'inner', line: 3, lines: 1 },
    { name: 'callback', line: 4, lines: 3 },
    { name: 'method', line: 10, lines: 1 },
  ]);
});

test('imports are those of files of the tree, and type imports are distinguished', () => {
  const text = [
    "import { a } from './a.ts';",
    "import type { B } from '../b.ts';",
    "import { type C } from './c.ts';",
    "import { type D, d } from './d.ts';",
    "import { join } from 'node:path';",
    "export { e } from './e.ts';",
    "export type { F } from './f.ts';",
    "type G = import('./g.ts').G;",
    "const h = import('./h.ts');",
  ].join('\n');
  const [file] = readTexts({ 'room/file.ts': text });
  expect(file?.imports.map(({ path, isType }) => `${path}${isType ? ' type' : ''}`)).toEqual([
    'room/a.ts',
    'b.ts type',
    'room/c.ts type',
    'room/d.ts',
    'room/e.ts',
    'room/f.ts type',
    'room/g.ts type',
    'room/h.ts',
  ]);
});

const files = readTexts({
  'lib/deliveries/attempt.ts': [
    "import { insert } from '../mongo/insert.ts';",
    "import type { Far } from '../far/far.ts';",
    "import { log } from '../log.ts';",
    "export const deliveryStates = ['pending', 'held'] as const;",
    'export async function attemptDelivery(): Promise<void> {}',
  ].join('\n'),
  'lib/mongo/insert.ts': "import { find } from './find.ts';",
  'lib/mongo/find.ts': "import type { Insert } from './insert.ts';",
  'lib/mongo/apart.ts': '',
  'lib/far/far.ts': '',
  'lib/model/delivery-state.ts': "export const deliveryStates = ['pending', 'held'] as const;",
  'lib/log.ts': "import { find } from './mongo/find.ts';",
  'lib/temporal/names.ts': 'export function eventWorkflowId() {}\nfunction other() {}',
  'lib/temporal/messages.ts': 'export interface DeliveryActivities { one(): void; two(): void }',
  'workflows/index.ts': "export { deliver } from './deliver.ts';",
  'packages/client/lists.ts': "export const deliveryStates = ['pending', 'held'] as const;",
  'dev/bench/load.ts': '',
  'dev/start/main.ts': '',
  'test/a.test.ts': '',
});

test('an attempt reaches the files that it imports as values within its rooms', () => {
  const rooms = ['lib/deliveries', 'lib/mongo'];
  const reached = reachedFrom(files, { entry: 'lib/deliveries/attempt.ts', rooms });
  expect(reached.map(({ path }) => path).toSorted()).toEqual([
    'lib/deliveries/attempt.ts',
    'lib/mongo/find.ts',
    'lib/mongo/insert.ts',
  ]);
});

test('an import cycle is found even when a type import closes it', () => {
  expect(importCycles(files)).toEqual([['lib/mongo/find.ts', 'lib/mongo/insert.ts']]);
});

test('two cycles that share a file are one, and the largest comes first', () => {
  const importing = (path: string, paths: string[]): CodeFile => ({
    ...readText(''),
    path,
    imports: paths.map((each) => ({ path: each, isType: false })),
  });
  const graph = [
    importing('x', ['y']),
    importing('y', ['x', 'a']),
    importing('a', ['b']),
    importing('b', ['a', 'c']),
    importing('c', ['b', 'z']),
    importing('z', []),
  ];
  expect(importCycles(graph)).toEqual([
    ['a', 'b', 'c'],
    ['x', 'y'],
  ]);
});

test('counts are found by name; dev does not ship, and states are those of the model', () => {
  const metrics = measure(files, proseLines('a.md', 'short\nlonger'));
  expect(metrics).toMatchObject({
    production: { files: 11 },
    allButTests: { files: 13 },
    reach: { entry: 'lib/deliveries/attempt.ts', rooms: ['lib/deliveries', 'lib/mongo'] },
    deliveryStates: ['pending', 'held'],
    workflows: ['deliver'],
    activities: ['one', 'two'],
    workflowIdSchemes: ['eventWorkflowId'],
    prose: { longest: { path: 'a.md', line: 2, characters: 6 }, wide: 0 },
  });
  expect(metrics.reach?.files).toHaveLength(3);
  expect(toMarkdown(metrics)).toContain('| delivery states | 2 | pending, held |');
});

test('a room is a top-level folder, and in lib the folder below', () => {
  const paths = ['api/http/a.ts', 'lib/a.ts', 'lib/mongo/a.ts', 'lib/mongo/deep/a.ts'];
  expect(paths.map(roomOf)).toEqual(['api', 'lib', 'lib/mongo', 'lib/mongo']);
});

test('the median of an even number is between the two in the middle', () => {
  expect([[], [7], [9, 1, 5], [4, 1, 2, 9]].map(median)).toEqual([0, 7, 5, 3]);
});

test('prose is the text outside code blocks and tables, counted in characters', () => {
  const text = 'one 😀\n\n```js\ncode\n```\n| a | b |\n````\n```\n````\nlast';
  const lines = proseLines('a.md', text).filter(({ characters }) => characters > 0);
  expect(lines).toEqual([
    { path: 'a.md', line: 1, characters: 5 },
    { path: 'a.md', line: 10, characters: 4 },
  ]);
});
