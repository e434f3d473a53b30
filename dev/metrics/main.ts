// `npm run metrics`: counts what the code is made of, as Markdown, or as JSON with `--json`.
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { measure } from './measure.ts';
import { type ProseLine, proseLines } from './prose.ts';
import { readTree } from './read-tree.ts';
import { toMarkdown } from './to-markdown.ts';

const help = `Usage: npm run metrics -- [options]

Counts what the code is made of, as Markdown.

  --json         as JSON
  --root DIR     another checkout; this one by default
  --entry FILE   the file in which an attempt at a delivery begins
  --rooms A,B    the folders that belong to it
  --help         shows this
`;

/** `--entry` and `--rooms` (with commas) say where an attempt begins and what belongs to it. */
const options = {
  json: { type: 'boolean', default: false },
  root: { type: 'string', default: '.' },
  entry: { type: 'string' },
  rooms: { type: 'string' },
} as const;

function readProse(root: string): ProseLine[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const paths = [...readdirSync(root), ...docs.map((path) => join('docs', path))];
  return paths
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) => proseLines(path, readFileSync(join(root, path), 'utf8')));
}

await runCommand(async () => {
  const { values } = parseArgs({ options });
  const root = resolve(values.root);
  const { entry, rooms } = values;
  const metrics = measure(readTree(root), readProse(root), { entry, rooms: rooms?.split(',') });
  const text = values.json ? `${JSON.stringify(metrics, null, 2)}\n` : toMarkdown(metrics);
  process.stdout.write(text);
}, help);
