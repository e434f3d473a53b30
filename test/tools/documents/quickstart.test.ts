// `npm run test:packages -- quickstart` runs the commands. These checks need no other toolchain.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readQuickStart } from '../../../dev/quickstart/read-quickstart.ts';

const { start, sections } = readQuickStart(await readFile('docs/quickstart.md', 'utf8'));

test.each(sections)('the quick start for $language shows its example as it is', async (section) => {
  const { path, code } = section.example;
  expect(code).toBe(await readFile(path, 'utf8'));
});

test.each(sections)('the quick start for $language has five commands', (section) => {
  expect([start, ...section.application, section.change]).toHaveLength(5);
});

test('a quick start without a change is rejected', () => {
  const markdown = 'Start:\n\n```sh\nnpm start\n```\n\n## Node\n\nInstall:\n\n```sh\nnpm ci\n```\n';
  expect(() => readQuickStart(markdown)).toThrow('0 blocks for the example of Node');
});
