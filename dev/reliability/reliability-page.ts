// The generated parts of docs/reliability.md, from the results of the last runs.
import { readFile } from 'node:fs/promises';
import { withGenerated } from '../instruments/with-generated.ts';
import type { CrashPointResults, MutantResults, NemesisResults, NemesisRun } from './results.ts';

export interface Results {
  nemesis: NemesisResults;
  mutants: MutantResults;
  /** Null if no whole run is recorded yet. */
  crashPoints: CrashPointResults | null;
  /** All mutants; results may be of some of them. */
  planted: readonly { name: string }[];
}

const sources = {
  nemesis: [
    'test/nemesis/results.json',
    'npm run nemesis -- --minutes 20 --seed 1 --seeds 3 --record',
  ],
  mutants: ['test/mutants/results.json', 'npm run mutants -- --record'],
  crashPoints: ['test/nemesis/points/results.json', 'npm run crash-points -- --record'],
  planted: ['test/mutants/mutants.json', 'git restore test/mutants/mutants.json'],
} as const satisfies Record<keyof Results, readonly [path: string, command: string]>;

/** Reads the results in a folder of the repository. Throws if some are missing. */
export async function readResults(root = '.'): Promise<Results> {
  const read = async (name: keyof Results): Promise<unknown> => {
    const [path, command] = sources[name];
    const text = await readFile(`${root}/${path}`, 'utf8').catch((cause: unknown) => {
      if (name === 'crashPoints') return 'null';
      throw new Error(`there is no ${path}: run ${command}`, { cause });
    });
    return JSON.parse(text);
  };
  const names = Object.keys(sources) as (keyof Results)[];
  const pairs = await Promise.all(names.map(async (name) => [name, await read(name)] as const));
  return Object.fromEntries(pairs) as unknown as Results;
}

/** Returns the page with the results. */
export function withResults(page: string, results: Results): string {
  const { nemesis, mutants, crashPoints, planted } = results;
  return withGenerated(page, [
    nemesisPart(nemesis),
    mutantsPart(mutants, planted),
    crashPointsPart(crashPoints),
  ]);
}

type Counts = Readonly<Record<string, number>>;

const shown = (count: number): string => count.toLocaleString('en');
const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const sumOf = (counts: Counts): number => Object.values(counts).reduce((sum, n) => sum + n, 0);

function added(all: readonly Counts[]): Counts {
  const sums: Record<string, number> = {};
  for (const [name, count] of all.flatMap((counts) => Object.entries(counts)))
    sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return [head, head.map(() => '---'), ...rows].map(line).join('');
}

function nemesisPart({ date, commit, machine, runs }: NemesisResults): string {
  const where = `${machine.cores} cores, Node ${machine.node.replace('v', '')}`;
  const isShort = runs.some(({ minutes }) => minutes < 10);
  const short = isShort
    ? ' A run of less than 10 minutes is not judged by schedule, rate and latency.'
    : '';
  const [violations, faults, duplicates] = (['violations', 'faults', 'duplicates'] as const).map(
    (name) => added(runs.map((run) => run[name])),
  );
  return [
    `On ${date}, of commit \`${commit}\`, on ${where}:\n\n`,
    tableOf(['seed', ...runs.map(({ seed }) => String(seed))], nemesisRows(runs)),
    `\n${verdictOf(violations)}${short}\n\n`,
    tableOf(['fault, or other cause', 'times', 'duplicates'], causeRows(faults, duplicates)),
  ].join('');
}

function causeRows(faults: Counts = {}, duplicates: Counts = {}): string[][] {
  // A cause is a fault and what it hit; `cut off` also begins with `cut`.
  const names = Object.keys(faults).toSorted((a, b) => b.length - a.length);
  const causes = Object.entries(duplicates).map(([cause, count]) => {
    const name = names.find((each) => cause.startsWith(`${each} `)) ?? cause;
    return { [name]: count };
  });
  const caused = added(causes);
  const sorted = Object.entries({ ...caused, ...faults }).toSorted(([, a], [, b]) => b - a);
  return sorted.map(([name]) => [name, shown(faults[name] ?? 0), shown(caused[name] ?? 0)]);
}

function nemesisRows(runs: readonly NemesisRun[]): string[][] {
  const facts: Record<string, (run: NemesisRun) => string> = {
    minutes: ({ minutes }) => shown(minutes),
    changes: ({ changes }) => shown(changes),
    deliveries: ({ deliveries }) => shown(deliveries),
    requests: ({ requests }) => shown(requests),
    faults: ({ faults }) => shown(sumOf(faults)),
    violations: ({ violations }) => shown(sumOf(violations)),
    duplicates: ({ duplicates, deliveries }) => {
      const percent = (100 * sumOf(duplicates)) / Math.max(1, deliveries);
      return `${shown(sumOf(duplicates))} (${percent.toFixed(2)}%)`;
    },
    'recovery after overlapping faults, p50': ({ recoveryMs }) => inSeconds(recoveryMs.p50),
    'recovery after overlapping faults, maximum': ({ recoveryMs }) => inSeconds(recoveryMs.max),
    'quiet application before the faults, p99': (run) =>
      `${shown(Math.round(run.quietP99Ms.before))} ms`,
    'quiet application between faults, p99': (run) =>
      `${shown(Math.round(run.quietP99Ms.outsideFaults))} ms`,
    'events judged after the restore': ({ restore }) => shown(restore.events),
  };
  return Object.entries(facts).map(([name, of]) => [name, ...runs.map(of)]);
}

/** A rule without violations may be absent. */
function verdictOf(violations: Counts = {}): string {
  const broken = Object.entries(violations).filter(([, count]) => count > 0);
  if (broken.length === 0) return 'No rule of the judge was violated.';
  const listed = broken.map(([rule, count]) => `\`${rule}\` ${shown(count)}`).join(', ');
  return `**Promises were broken.** Violations by rule: ${listed}.`;
}

function mutantsPart(
  { date, commit, mutants }: MutantResults,
  planted: Results['planted'],
): string {
  const found = mutants.filter(({ caughtBy }) => caughtBy !== null);
  const seconds = found.map((each) => each.seconds).toSorted((a, b) => a - b);
  const median = seconds[Math.floor(seconds.length / 2)] ?? 0;
  const survivors = mutants.filter(({ caughtBy }) => caughtBy === null);
  const notRun = planted.length - mutants.length;
  return [
    `Up to ${date} and commit \`${commit}\`: **${found.length} of ${planted.length} were caught**, half of `,
    `them within ${median} s, the last after ${seconds.at(-1) ?? 0} s.\n`,
    notRun > 0 ? `\n**${notRun} did not run.**\n` : '',
    survivors.length > 0 ? '\n' : '',
    ...survivors.map(({ name }) => `- **not caught**: ${name}\n`),
  ].join('');
}

function crashPointsPart(results: CrashPointResults | null): string {
  if (results === null) return 'No whole run is recorded yet.\n';
  const { date, commit, ...counts } = results;
  const { listed, killed, deliveries, violations, repeated, seconds } = counts;
  const minutes = Math.round(seconds / 60);
  const head = ['minutes', 'awaits', 'kills', 'deliveries', 'violations', 'requests repeated'];
  const row = [minutes, listed, killed, deliveries, violations, repeated].map(shown);
  const verdict = violations > 0 ? '\n**Promises were broken.**\n' : '';
  return `On ${date}, of commit \`${commit}\`:\n\n${tableOf(head, [row])}${verdict}`;
}
