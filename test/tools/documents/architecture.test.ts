// docs/ARCHITECTURE.md names the files to read to reason about a lost delivery.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// 3,232 before partitions were parked (ADR 48) and groups of changes left out their culprits (ADR 42), 3,447 with them. A
// mechanism that needs more says in the page what it is worth.
const linesMax = 3_450;

const page = readFileSync('docs/ARCHITECTURE.md', 'utf8');
const [section = ''] = /## To reason about a lost delivery[^]*?(?=\n## )/.exec(page) ?? [];

/** Returns the paths in a cell. A name without a folder is in the folder before it. */
function filesIn(cell: string): string[] {
  let folder = '';
  return [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']) => {
    if (name.endsWith('/')) folder = name;
    const path = name.includes('/') ? name : folder + name;
    return path.endsWith('/') ? [] : [`${path}.ts`];
  });
}

const files = section
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .flatMap((line) => filesIn(line.split('|')[2] ?? ''));

test('the page counts the files to read, each once', () => {
  expect(section).toContain(`Read these ${files.length} files`);
  expect(new Set(files).size).toBe(files.length);
});

test('the files to read have few lines', () => {
  const lines = files.map((file) => readFileSync(file, 'utf8').split('\n').length - 1);
  expect(lines.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(linesMax);
});
