// `npm run nemesis [-- --minutes 10 --seed 1 --seeds 1 --record]`: the service under load and every kind of fault, and
// the judgement of what became of each change. `--judge <folder>` judges a kept run again.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { deserialize } from 'node:v8';
import type { NemesisResults, NemesisRun } from '../../dev/reliability/results.ts';
import { makeFaults } from './faults.ts';
import type { History } from './history.ts';
import { isTimed, judge } from './judge.ts';
import { restoreBackup, takeBackup } from './restore.ts';
import { historyName, judgeRun, say, show, withRun } from './run.ts';
import { countBy } from './rules/stored.ts';
import { planFaults } from './schedule.ts';

const resultsPath = 'test/nemesis/results.json';
/** A machine that is busy for some seconds would fail a shorter run. */
const minutesByTime = 10;

interface Wanted {
  seed: number;
  minutes: number;
}

/** Makes the faults of the seed, and restores a backup of the middle of the run at its end. */
async function disturb({ seed, minutes }: Wanted, folder: string) {
  return withRun({ seed, folder }, async (run) => {
    const { world, load, receivers } = run;
    const { scene } = load;
    const plan = planFaults({ seed, seconds: 60 * minutes });
    const [faults, backup] = await Promise.all([
      makeFaults(world, plan),
      sleep(30_000 * minutes).then(() => takeBackup(world, scene.applications)),
      sleep(60_000 * minutes),
    ]);
    const { history, verdict } = await judgeRun(run, faults);
    const restored = await restoreBackup({ world, scene, receivers, history }, backup);
    verdict.violations.push(...restored.violations);
    return { history, verdict, restored };
  });
}

type Outcome = Awaited<ReturnType<typeof disturb>>;

function resultOf({ seed, minutes }: Wanted, { history, verdict, restored }: Outcome): NemesisRun {
  const { deliveries, requests, duplicates, recoveryMs, quietP99Ms, violations } = verdict;
  return {
    seed,
    minutes,
    changes: history.changes.length,
    deliveries,
    requests,
    faults: countBy(history.faults, ({ name }) => name),
    violations: countBy(violations, ({ rule }) => rule),
    duplicates,
    recoveryMs,
    quietP99Ms,
    restore: { events: restored.events, violations: restored.violations.length },
  };
}

/** Runs one seed. Keeps its data, logs and history if there are violations. Returns its result. */
async function runSeed(seed: number, minutes: number) {
  await mkdir('.cache/nemesis', { recursive: true });
  const folder = await mkdtemp('.cache/nemesis/run-');
  say(`seed ${seed}: ${minutes} minutes, in ${folder}`);
  const { verdict, ...outcome } = await disturb({ seed, minutes }, folder);
  const isJudgedByTime = minutes >= minutesByTime;
  const violations = verdict.violations.filter((each) => isJudgedByTime || !isTimed(each));
  show(violations);
  if (!isJudgedByTime) say('so short a run is not judged by schedule, rate and latency');
  const result = resultOf({ seed, minutes }, { ...outcome, verdict: { ...verdict, violations } });
  say(JSON.stringify(result));
  if (violations.length === 0) await rm(folder, { recursive: true });
  return result;
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Math.floor(1_000_000 * Math.random())) },
    seeds: { type: 'string', default: '1' },
    record: { type: 'boolean', default: false },
    judge: { type: 'string' },
  },
});

async function judgeAgain(folder: string): Promise<boolean> {
  const history = deserialize(await readFile(join(folder, historyName))) as History;
  const { violations, ...facts } = judge(history);
  show(violations);
  say(JSON.stringify({ ...facts, violations: countBy(violations, ({ rule }) => rule) }));
  return violations.length === 0;
}

async function runSeeds(): Promise<boolean> {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim();
  const runs = [];
  for (let n = 0; n < Number(values.seeds); n += 1) {
    runs.push(await runSeed(Number(values.seed) + n, Number(values.minutes)));
    if (values.record) await record(commit, runs);
  }
  return runs.every(({ violations }) => Object.keys(violations).length === 0);
}

/** Replaces the results of earlier runs, which may be of another commit. */
async function record(commit: string, runs: NemesisRun[]): Promise<void> {
  const machine = { cores: cpus().length, node: process.version };
  const results: NemesisResults = {
    date: new Date().toISOString().slice(0, 10),
    commit,
    machine,
    runs,
  };
  await writeFile(resultsPath, `${JSON.stringify(results, null, 2)}\n`);
}

const isClean = await (values.judge === undefined ? runSeeds() : judgeAgain(values.judge));
say(isClean ? 'no violation' : 'with violations');
process.exitCode = isClean ? 0 : 1;
