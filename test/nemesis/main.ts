// `npm run nemesis [-- --minutes 10 --seed 1 --seeds 1 --record]`: the service under load and every kind of fault, and
// the judgement of what became of each change. Prints a seed, with which the same schedule runs again.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Disposal } from '../../lib/platform/disposal.ts';
import { createCaller } from './caller.ts';
import { readDocuments, settle } from './documents.ts';
import { makeFault } from './faults.ts';
import type { Fault, History, Verdict } from './history.ts';
import { judge } from './judge.ts';
import { type Load, startLoad } from './load.ts';
import { startReceivers } from './receivers.ts';
import { planFaults } from './schedule.ts';
import { openWorld, type World } from './world.ts';

const settleTimeoutMs = 180_000;
const resultsPath = 'test/nemesis/results.json';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Run {
  seed: number;
  minutes: number;
  folder: string;
}

/** Makes the planned faults at their times. Resolves once all are over. */
async function makeFaults(world: World, { seed, minutes }: Run): Promise<Fault[]> {
  const startedMs = performance.now();
  const faults: Promise<Fault>[] = [];
  for (const planned of planFaults({ seed, seconds: 60 * minutes })) {
    await sleep(Math.max(0, startedMs + planned.atMs - performance.now()));
    faults.push(makeFault(world, planned));
  }
  await sleep(Math.max(0, startedMs + 60_000 * minutes - performance.now()));
  return Promise.all(faults);
}

async function run(options: Run): Promise<{ history: History; verdict: Verdict }> {
  const { seed, folder } = options;
  await using open = new Disposal();
  const world = open.use(await openWorld({ folder, progress: say }));
  const { store, config, apiUrl } = world;
  const receivers = open.use(await startReceivers());
  const caller = open.use(createCaller(apiUrl));
  const load = await startLoad({ seed, apiUrl, store, config, caller, receivers });
  const startMs = Date.now();
  const faults = await makeFaults(world, options);
  await world.heal();
  receivers.heal();
  await load.stop();
  const left = await settle(store.db, settleTimeoutMs);
  say(`open at the end: ${JSON.stringify(left)}; responses: ${JSON.stringify(caller.statuses)}`);
  const history: History = {
    seed,
    startMs,
    quietAppUid: load.quiet.app.appUid,
    appUids: load.scene.applications.map(({ app }) => app.appUid),
    ...load.scene.observed,
    requests: [...receivers.requests],
    faults,
    publicKeys: await publicKeysOf(load),
    documents: await readDocuments(store.db),
  };
  return { history, verdict: judge(history) };
}

async function publicKeysOf({ scene }: Load): Promise<History['publicKeys']> {
  const read = async ({ app }: Load['quiet']) => {
    const { body } = await scene.caller.call(app, 'GET', '/.well-known/webhook-keys.json');
    return [app.appUid, body['keys'] as unknown as Record<string, unknown>[]] as const;
  };
  return new Map(await Promise.all(scene.applications.map(read)));
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => string) {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}

function resultOf({ seed, minutes }: Run, history: History, verdict: Verdict) {
  const { deliveries, requests, duplicates, recoveryMs, quietP99Ms, violations } = verdict;
  return {
    seed,
    minutes,
    changes: history.changes.length,
    deliveries,
    requests,
    faults: countBy(history.faults, ({ name }) => name),
    violations: countBy(violations, ({ rule }) => rule),
    ...{ duplicates, recoveryMs, quietP99Ms },
  };
}

/** Runs one seed. Keeps its data, logs and history if there are violations. Returns its result. */
async function runSeed(seed: number, minutes: number) {
  const folder = await mkdtemp(join(tmpdir(), 'herald-nemesis-'));
  say(`seed ${seed}: ${minutes} minutes, in ${folder}`);
  const { history, verdict } = await run({ seed, minutes, folder });
  for (const { rule, what, history: lines } of verdict.violations.slice(0, 20))
    say([`violation of ${rule}: ${what}`, ...lines].join('\n    '));
  const result = resultOf({ seed, minutes, folder }, history, verdict);
  say(JSON.stringify(result));
  if (verdict.violations.length === 0) await rm(folder, { recursive: true });
  else await writeFile(join(folder, 'history.json'), JSON.stringify(history));
  return result;
}

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Math.floor(1_000_000 * Math.random())) },
    seeds: { type: 'string', default: '1' },
    record: { type: 'boolean', default: false },
  },
});
const runs = [];
for (let n = 0; n < Number(values.seeds); n += 1)
  runs.push(await runSeed(Number(values.seed) + n, Number(values.minutes)));
if (values.record) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim();
  const machine = { cores: cpus().length, node: process.version };
  const date = new Date().toISOString().slice(0, 10);
  await writeFile(resultsPath, `${JSON.stringify({ date, commit, machine, runs }, null, 2)}\n`);
}
const isClean = runs.every(({ violations }) => Object.keys(violations).length === 0);
say(`${runs.length} seeds, ${isClean ? 'no violation' : 'with violations'}`);
process.exitCode = isClean ? 0 : 1;
