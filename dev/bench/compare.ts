// Compares a change with its base: runs the benches of two checkouts in turn on the same machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Comparison } from './arguments.ts';
import { areSound, renderComparison, type Run } from './compare-table.ts';
import type { Report } from './report.ts';

interface Session {
  signal: AbortSignal;
  /** Prints a line of progress. */
  say: (line: string) => void;
  /** Prints a part of the report. */
  print: (part: string) => void;
}

interface Checkout {
  letter: 'A' | 'B';
  dir: string;
}

const mainPath = 'dev/bench/main.ts';

/** Runs the bench of another checkout (A) and of this one (B). Returns the exit code: 1 if a run failed. */
export async function compareCheckouts(comparison: Comparison, session: Session): Promise<number> {
  const { names, rounds, options } = comparison;
  const a: Checkout = { letter: 'A', dir: resolve(comparison.dir) };
  const b: Checkout = { letter: 'B', dir: fileURLToPath(new URL('../..', import.meta.url)) };
  checkFolder(a);
  const runs = { a: [] as Run[], b: [] as Run[] };
  const goesOn = (): boolean =>
    !session.signal.aborted && [...runs.a, ...runs.b].every(({ report }) => report !== null);
  for (let round = 1; round <= rounds && goesOn(); round += 1) {
    session.say(`round ${round} of ${rounds}`);
    runs.a.push(await runBench(a, [...names, ...options], session));
    if (goesOn()) runs.b.push(await runBench(b, [...names, ...options], session));
  }
  const requested = [...names, ...options].join(' ');
  session.print(
    [
      `# agent-herald bench, ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of ${requested}`,
      '',
      `A is ${a.dir} (${commitOf(runs.a)}), B is this checkout (${commitOf(runs.b)}). A ratio of the floor other`,
      'than 1 is a drift of the machine: it runs the bare parts, which a change hardly touches.',
    ].join('\n'),
  );
  session.print(renderComparison(runs));
  session.signal.throwIfAborted();
  return areSound(runs) ? 0 : 1;
}

function checkFolder({ dir }: Checkout): void {
  if (!existsSync(join(dir, mainPath))) {
    throw new Error(`${dir} is not a checkout of agent-herald: it has no ${mainPath}`);
  }
  if (!existsSync(join(dir, 'node_modules'))) {
    throw new Error(`${dir} has no node_modules: run npm ci there`);
  }
}

async function runBench(
  checkout: Checkout,
  args: readonly string[],
  { signal, say }: Session,
): Promise<Run> {
  const child = spawn(process.execPath, ['--import', 'tsx', mainPath, ...args], {
    cwd: checkout.dir,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Another process group, so that Ctrl-C reaches only this process, which passes it on.
    detached: true,
  });
  // The child then ends its service in order, and reports its results so far.
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  let writtenTo: string | null = null;
  const lines = createInterface({ input: child.stderr });
  lines.on('line', (line) => {
    say(`${checkout.letter}: ${line}`);
    writtenTo = /^written: (.+\.json)/.exec(line)?.[1] ?? writtenTo;
  });
  // The report contains its tables.
  child.stdout.resume();
  try {
    const [code, endSignal] = (await once(child, 'close')) as [number | null, string | null];
    const text = writtenTo === null ? 'null' : await readFile(writtenTo, 'utf8');
    return { report: JSON.parse(text) as Report | null, end: code ?? endSignal ?? 'unknown' };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function commitOf(runs: readonly Run[]): string {
  if (runs.length === 0) return 'not run';
  const commits = runs.map(({ report }) => report?.machine.commit ?? 'unknown');
  return `commit ${[...new Set(commits)].join(', ')}`;
}
