// docs/reliability.md shows the results of the last runs as they are, also bad ones, and the size of the model.
import { cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readResults, withResults } from '../../../dev/reliability/reliability-page.ts';
import { makeTemporaryFolder } from '../../../dev/servers/temporary-folder.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { modelGraph } from '../../support/model-graph.ts';

const page = await readFile('docs/reliability.md', 'utf8');
const results = await readResults();
const folders = ['nemesis', 'mutants'];
const paths = ['test/mutants/mutants.json', ...folders.map((name) => `test/${name}/results.json`)];

test('the page is as the results are', () => {
  expect(withResults(page, results)).toBe(page);
});

test('each result names the commit of its run', () => {
  const { nemesis, mutants, crashPoints } = results;
  const recorded = [nemesis, mutants, ...(crashPoints === null ? [] : [crashPoints])];
  for (const { commit } of recorded) expect(commit).toMatch(/^[0-9a-f]{7,40}$/);
});

test('the page fits 900 words', () => {
  const words = page.split(/[\s|]+/);
  expect(words.length).toBeLessThanOrEqual(900);
});

test('the page has the size of the model', () => {
  const graph = modelGraph();
  const edges = [...graph.values()].flat().length.toLocaleString('en');
  expect(page).toContain(`It has ${graph.size} situations and ${edges} edges.`);
});

test.each(paths)('without %s, there is no page but an error with the command', async (missing) => {
  await using open = new Disposal();
  const folder = await makeTemporaryFolder(open, 'results');
  for (const path of paths.filter((each) => each !== missing)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await cp(path, join(folder, path));
  }
  await expect(readResults(folder)).rejects.toThrow(`there is no ${missing}: run `);
});

test('the page says which rules were violated, and how often', () => {
  const [run] = results.nemesis.runs;
  if (run === undefined) throw new Error('no run');
  const runs = [
    run,
    { ...run, violations: { order: 2 } },
    { ...run, violations: { order: 1, calls: 0 } },
  ];
  const made = withResults(page, { ...results, nemesis: { ...results.nemesis, runs } });
  expect(made).toContain('**Promises were broken.** Violations by rule: `order` 3.');
  expect(made).toContain('| violations | 0 | 2 | 1 |');
  expect(made).not.toContain('No rule of the judge was violated');
});

test('the page counts duplicates by the fault that caused them, and by other causes', () => {
  const [run] = results.nemesis.runs;
  if (run === undefined) throw new Error('no run');
  const faults = { cut: 4, 'cut off': 2 };
  const duplicates = { 'cut mongod': 1, 'cut temporal of api': 2, 'cut off mongod': 5, slow: 1 };
  const nemesis = { ...results.nemesis, runs: [{ ...run, faults, duplicates }] };
  const made = withResults(page, { ...results, nemesis });
  expect(made).toContain('| cut | 4 | 3 |\n| cut off | 2 | 5 |\n| slow | 0 | 1 |\n');
});

test('the page names mutants that no test caught, and counts those that did not run', () => {
  const mutants = [
    { name: 'one', caughtBy: 'a rule', seconds: 3 },
    { name: 'two', caughtBy: null, seconds: 9 },
  ];
  const planted = [...mutants, { name: 'three' }];
  const made = withResults(page, { ...results, planted, mutants: { ...results.mutants, mutants } });
  expect(made).toContain('**1 of 3 were caught**');
  expect(made).toContain('\n- **not caught**: two\n');
  expect(made).toContain('**1 did not run.**');
});

test('the page says that crashes broke promises, or that they were not tried', () => {
  const counts = { listed: 900, killed: 600, deliveries: 9_000, repeated: 10, seconds: 900 };
  const made = (violations: number | null): string => {
    const run = { date: '2026-01-01', commit: 'abcdef0', ...counts };
    const crashPoints = violations === null ? null : { ...run, violations };
    const part = withResults(page, { ...results, crashPoints }).split('## Killed at each await')[1];
    return part ?? '';
  };
  expect(made(0)).not.toContain('**Promises were broken.**');
  expect(made(1)).toContain('**Promises were broken.**');
  expect(made(null)).toContain('No whole run is recorded yet.');
});
