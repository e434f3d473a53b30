import { readFile } from 'node:fs/promises';

type Mutant = Readonly<Record<'name' | 'file' | 'from' | 'to', string>>;
const mutants = JSON.parse(await readFile('test/mutants/mutants.json', 'utf8')) as Mutant[];

test.each(mutants)('the text that a mutant replaces occurs once: $name', async ({ file, from }) => {
  expect((await readFile(file, 'utf8')).split(from)).toHaveLength(2);
});
