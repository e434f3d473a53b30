// `npm run crash-points [-- --minutes 30 --seed 1 --record]`: under the load of the nemesis, kills api and worker once at
// each await that they reach, and judges what became of each change.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { isTimed } from '../judge.ts';
import { judgeRun, say, show, withRun } from '../run.ts';
import { makePoints } from './instrumented.ts';
import { killAtEach } from './kills.ts';

const resultsPath = 'test/nemesis/points/results.json';
const foldersPath = '.cache/nemesis';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    record: { type: 'boolean', default: false },
  },
});
const startedMs = performance.now();
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim();
await mkdir(foldersPath, { recursive: true });
const folder = await mkdtemp(`${foldersPath}/points-`);
const points = await makePoints(folder);
say(`${points.listed.length} awaits are listed; ${folder}`);
const { killed, verdict } = await withRun(
  { seed: Number(values.seed), folder, points },
  async (run) => {
    const kills = await killAtEach(run.world, points, 60_000 * Number(values.minutes));
    return { ...kills, ...(await judgeRun(run, kills.faults)) };
  },
);
// Restarts keep two cores busy.
const violations = verdict.violations.filter((each) => !isTimed(each));
show(violations);
const results = {
  date: new Date().toISOString().slice(0, 10),
  commit,
  listed: points.listed.length,
  killed: killed.length,
  deliveries: verdict.deliveries,
  violations: violations.length,
  repeated: Object.values(verdict.duplicates).reduce((sum, count) => sum + count, 0),
  seconds: Math.round((performance.now() - startedMs) / 1_000),
};
say(JSON.stringify(results));
if (values.record) await writeFile(resultsPath, `${JSON.stringify(results, null, 2)}\n`);
if (violations.length === 0) await rm(folder, { recursive: true });
process.exitCode = violations.length === 0 ? 0 : 1;
