// A change beside what was before: benches in turns on the same machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Comparison } from './arguments.ts';
import { pickShared, readNames } from './compare-names.ts';
import { areSound, renderComparison, type Run, type Runs } from './compare-table.ts';
import { startHelper } from './helper-process.ts';
import type { Report } from './report.ts';

interface Session {
  signal: AbortSignal;
  /** Takes lines of progress. */
  say: (line: string) => void;
  /** Takes parts of the report. */
  print: (part: string) => void;
}

/** What is run in turns with others. */
interface Side {
  letter: string;
  dir: string;
  /** Beside that of this process. */
  env?: NodeJS.ProcessEnv;
}

const mainPath = 'dev/bench/main.ts';
const ownDir = fileURLToPath(new URL('../..', import.meta.url));

/** Runs what is asked for; returns the exit code: 1 where a run failed. */
export async function compare(comparison: Comparison, session: Session): Promise<number> {
  return comparison.dir === null
    ? compareTelemetry(comparison, session)
    : compareCheckouts({ ...comparison, dir: comparison.dir }, session);
}

// The bench of another checkout, A, and of this one, B.
async function compareCheckouts(
  comparison: Comparison & { dir: string },
  session: Session,
): Promise<number> {
  const { rounds, options } = comparison;
  const a = { letter: 'A', dir: resolve(comparison.dir) };
  const b = { letter: 'B', dir: ownDir };
  checkFolder(a);
  checkFolder(b);
  const known = { a: await listNames(a), b: await listNames(b) };
  const { names, notes } = pickShared(comparison.names, known);
  session.signal.throwIfAborted();
  const asked = [...names, ...options];
  const [runsOfA = [], runsOfB = []] = await runInTurns([a, b], { rounds, asked }, session);
  session.print(
    [
      titleOf(rounds, asked),
      '',
      `A is ${a.dir} (${commitOf(runsOfA)}), B is this checkout (${commitOf(runsOfB)}). A ratio of the floor other`,
      'than 1 is a drift of the machine: it runs the bare parts, which a change hardly touches.',
      ...notes,
    ].join('\n'),
  );
  return printRatios([{ a: runsOfA, b: runsOfB }], session);
}

// This checkout without telemetry, A; with metrics, B; with traces of every tenth change, too, C.
async function compareTelemetry(
  { names, rounds, options }: Comparison,
  session: Session,
): Promise<number> {
  let port = 0;
  await using _collector = await startHelper('collector-process.ts', {
    onMessage: (message) => ({ port } = message as { port: number }),
  });
  const traced = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_METRICS_EXPORTER: 'none',
    HERALD_TRACE_SAMPLING: '0.1',
  };
  const sides = [
    { letter: 'A', dir: ownDir, env: { HERALD_METRICS_PORT: '' } },
    { letter: 'B', dir: ownDir },
    { letter: 'C', dir: ownDir, env: traced },
  ];
  const asked = [...names, ...options];
  const [off = [], metrics = [], traces = []] = await runInTurns(sides, { rounds, asked }, session);
  session.print(
    [
      titleOf(rounds, asked),
      '',
      `This checkout (${commitOf(off)}): A without telemetry, B with metrics, which are read every 15 s. In the second`,
      'table B has traces of every tenth change, too, which a collector takes.',
    ].join('\n'),
  );
  const tables = [
    { a: off, b: metrics },
    { a: off, b: traces },
  ];
  return printRatios(tables, session);
}

function titleOf(rounds: number, asked: readonly string[]): string {
  const count = `${rounds} ${rounds === 1 ? 'round' : 'rounds'}`;
  return `# agent-herald bench, ${count} of ${asked.join(' ')}`;
}

function printRatios(tables: readonly Runs[], { print, signal }: Session): number {
  for (const runs of tables) print(renderComparison(runs));
  signal.throwIfAborted();
  return tables.every(areSound) ? 0 : 1;
}

/** Returns the runs of each side, round by round, as far as all went well. */
async function runInTurns(
  sides: readonly Side[],
  { rounds, asked }: { rounds: number; asked: readonly string[] },
  session: Session,
): Promise<Run[][]> {
  const runs = sides.map((): Run[] => []);
  const goesOn = (): boolean =>
    !session.signal.aborted && runs.flat().every(({ report }) => report !== null);
  for (let round = 1; round <= rounds; round += 1) {
    if (goesOn()) session.say(`round ${round} of ${rounds}`);
    for (const [index, side] of sides.entries()) {
      if (goesOn()) runs[index]?.push(await runBench(side, asked, session));
    }
  }
  return runs;
}

function checkFolder({ dir }: Side): void {
  if (!existsSync(join(dir, mainPath))) {
    throw new Error(`${dir} is not a checkout of agent-herald: it has no ${mainPath}`);
  }
  if (!existsSync(join(dir, 'node_modules'))) {
    throw new Error(`${dir} has no node_modules: run npm ci there`);
  }
}

async function listNames(side: Side): Promise<string[]> {
  const child = startBench(side, ['--help']);
  const [help, complaint, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  if (code !== 0) throw new Error(`the bench of ${side.letter} does not start: ${complaint}`);
  return readNames(help);
}

async function runBench(
  side: Side,
  args: readonly string[],
  { signal, say }: Session,
): Promise<Run> {
  const child = startBench(side, args);
  // It then ends its service in order, and reports what it has.
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  let writtenTo: string | null = null;
  const lines = createInterface({ input: child.stderr });
  lines.on('line', (line) => {
    say(`${side.letter}: ${line}`);
    writtenTo = /^written: (.+\.json) and /.exec(line)?.[1] ?? writtenTo;
  });
  // Its tables are in the report.
  child.stdout.resume();
  try {
    const [code, endSignal] = (await once(child, 'close')) as [number | null, string | null];
    return { report: await readReport(writtenTo), end: code ?? endSignal ?? 'unknown' };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function startBench({ dir, env }: Side, args: readonly string[]) {
  return spawn(process.execPath, ['--import', 'tsx', mainPath, ...args], {
    cwd: dir,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Another process group: Ctrl-C reaches this process alone, which passes it on.
    detached: true,
  });
}

async function readReport(path: string | null): Promise<Report | null> {
  return path === null ? null : (JSON.parse(await readFile(path, 'utf8')) as Report);
}

function commitOf(runs: readonly Run[]): string {
  if (runs.length === 0) return 'not run';
  const commits = runs.map(({ report }) => report?.machine.commit ?? 'unknown');
  return `commit ${[...new Set(commits)].join(', ')}`;
}
