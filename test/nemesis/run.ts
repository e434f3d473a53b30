// One run: the world under load, something that disturbs it, and the judgement once all has settled.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { Disposal } from '../../lib/platform/disposal.ts';
import { type Caller, createCaller } from './caller.ts';
import { settle } from './documents.ts';
import type { Fault, History, Verdict, Violation } from './history.ts';
import { observe } from './history-of.ts';
import { judge } from './judge.ts';
import { type Load, startLoad } from './load.ts';
import type { Points } from './points/instrumented.ts';
import { type Receivers, startReceivers } from './receivers.ts';
import { openWorld, type World } from './world.ts';

export interface RunOptions {
  seed: number;
  /** Keeps logs and history. */
  folder: string;
  points?: Points;
}

export interface Run extends RunOptions {
  world: World;
  load: Load;
  receivers: Receivers;
  caller: Caller;
  startMs: number;
}

export const historyName = 'history.bin';
const shownMax = 20;

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Starts the world and the load, and stops them after `use`. */
export async function withRun<T>(options: RunOptions, use: (run: Run) => Promise<T>): Promise<T> {
  const { seed, folder, points = null } = options;
  await using open = new Disposal();
  const world = open.use(await openWorld({ folder, points, progress: say }));
  const { store, config, apiUrl } = world;
  const receivers = open.use(await startReceivers());
  const caller = open.use(createCaller(apiUrl));
  const load = await startLoad({ seed, apiUrl, store, config, caller, receivers });
  // Not without await: the world would end first.
  const result = await use({ ...options, world, load, receivers, caller, startMs: Date.now() });
  return result;
}

/**
 * Ends all faults and the load, waits until everything has settled, and judges. Throws an `Error` if the service
 * accepted no more than half of the changes.
 */
export async function judgeRun(
  run: Run,
  faults: Fault[],
): Promise<{ history: History; verdict: Verdict }> {
  const { seed, folder, world, load, receivers, caller, startMs } = run;
  const { db } = world.store;
  await world.heal();
  receivers.heal();
  await load.stop();
  const left = await settle(db);
  say(`open at the end: ${JSON.stringify(left)}; responses: ${JSON.stringify(caller.statuses)}`);
  const history = await observe({ seed, startMs, load, receivers, faults, db });
  await writeFile(join(folder, historyName), serialize(history));
  const accepted = history.changes.filter(({ outcome }) => outcome === 'accepted').length;
  // Without load, no promise is tried.
  if (accepted <= history.changes.length / 2)
    throw new Error(`only ${accepted} of ${history.changes.length} changes were accepted`);
  return { history, verdict: judge(history) };
}

/** Prints the first violations with their history. */
export function show(violations: readonly Violation[]): void {
  for (const { rule, what, history } of violations.slice(0, shownMax))
    say([`violation of ${rule}: ${what}`, ...history].join('\n    '));
}
