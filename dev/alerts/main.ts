// `npm run test:alerts`: checks the rules with Prometheus' own tool, against recorded and hand-written series.
import { spawnSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { Disposal } from '../../lib/platform/disposal.ts';
import { runCommand } from '../../lib/platform/run-command.ts';
import { print, timed } from '../servers/print.ts';
import { makeTemporaryFolder } from '../servers/temporary-folder.ts';
import { readDashboards } from './dashboards.ts';
import { findPromtool } from './find-promtool.ts';

const help = `Usage: npm run test:alerts

Checks deploy/prometheus with promtool: the form of rules and of the dashboards' queries, and which alerts fire on
recorded and written series.

  --help  shows this
`;

const folder = fileURLToPath(new URL('../../deploy/prometheus', import.meta.url));
const rulesPath = join(folder, 'rules.yml');
const recordedFolder = join(folder, 'recorded');

/** Writes the queries of the dashboards as rules, so that promtool can check them. */
async function writeQueries(scratch: string): Promise<string> {
  const queries = readDashboards().flatMap((panels) =>
    panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  );
  const rules = queries.map((query, index) => ({
    record: `dashboard:query:${index}`,
    expr: query.replaceAll('$__rate_interval', '5m'),
  }));
  const path = join(scratch, 'dashboards.yml');
  await writeFile(path, stringify({ groups: [{ name: 'dashboards', rules }] }));
  return path;
}

async function checkRules(): Promise<void> {
  const promtool = await findPromtool(print);
  const recorded = (await readdir(recordedFolder)).map((name) => join(recordedFolder, name));
  const tests = [join(folder, 'rules.test.yml'), ...recorded];
  await using open = new Disposal();
  const queries = await writeQueries(await makeTemporaryFolder(open, 'dashboards'));
  for (const args of [
    ['check', 'rules', rulesPath, queries],
    ['check', 'config', join(folder, 'prometheus.yml')],
    ['test', 'rules', ...tests],
  ]) {
    // promtool prints the failures itself.
    const { status } = spawnSync(promtool, args, { stdio: 'inherit' });
    if (status !== 0) throw new Error(`promtool ${args[0]} ${args[1]} ended with ${status}`);
  }
}

await runCommand(() => timed('the rules passed', checkRules), help);
