import { parseArgs } from 'node:util';
import { besideTimesMax } from './beside.ts';
import type { Scenario } from './scenario.ts';
import { retentionTimesMax } from './scenarios/retention.ts';
import { syncTimesMax } from './scenarios/sync.ts';
import { scenarios } from './scenarios.ts';
import type { Settings } from './settings.ts';

/** The arguments of `compare`. */
export interface Comparison {
  /** The other checkout. */
  dir: string;
  /** Not checked: each checkout knows its own scenarios. */
  names: readonly string[];
  rounds: number;
  /** The options for each bench, as on the command line. */
  options: readonly string[];
}

const comparedByDefault = ['light', 'burst'];
const roundsMax = 20;

/** Parses the command line of `npm run bench`. Throws an error of one sentence. */
export function readArguments(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seconds: { type: 'string' },
      rate: { type: 'string' },
      short: { type: 'boolean', default: false },
      path: { type: 'string', default: 'changes' },
      rounds: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { path } = values;
  if (path !== 'changes' && path !== 'agents') {
    throw new Error(`--path is changes or agents (got ${path})`);
  }
  const settings: Settings = {
    seconds: readNumber('--seconds', values.seconds, 3_600),
    ratePerSecond: readNumber('--rate', values.rate, 5_000),
    short: values.short,
    path,
  };
  const [command, ...rest] = positionals;
  if (command === 'compare') {
    const comparison = readComparison(rest, { settings, rounds: values.rounds });
    return { help: values.help, comparison, scenarios: [], settings };
  }
  if (values.rounds !== undefined) throw new Error('--rounds is for compare only');
  const picked = pickScenarios(positionals);
  return { help: values.help, comparison: null, scenarios: picked, settings };
}

function readComparison(
  [dir, ...names]: readonly string[],
  { settings, rounds = '2' }: { settings: Settings; rounds: string | undefined },
): Comparison {
  if (dir === undefined) throw new Error('compare needs the folder of another checkout');
  const count = readNumber('--rounds', rounds, roundsMax) ?? 0;
  if (!Number.isInteger(count)) throw new Error(`--rounds must be a whole number (got ${rounds})`);
  return {
    dir,
    names: names.length === 0 ? comparedByDefault : names,
    rounds: count,
    options: optionsOf(settings),
  };
}

// Omits defaults, which another checkout may not know.
function optionsOf({ seconds, ratePerSecond, short, path }: Settings): string[] {
  return [
    ...(seconds === null ? [] : ['--seconds', String(seconds)]),
    ...(ratePerSecond === null ? [] : ['--rate', String(ratePerSecond)]),
    ...(short ? ['--short'] : []),
    ...(path === 'changes' ? [] : ['--path', path]),
  ];
}

function pickScenarios(names: readonly string[]): readonly Scenario[] {
  if (names.length === 0) return scenarios.filter((scenario) => scenario.isMain);
  if (names.includes('all')) return scenarios;
  const unknown = names.find((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown !== undefined) {
    throw new Error(`there is no scenario ${unknown}; npm run bench -- --help lists them`);
  }
  return scenarios.filter((scenario) => names.includes(scenario.name));
}

function readNumber(name: string, text: string | undefined, max: number): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!(value > 0 && value <= max)) {
    throw new Error(`${name} must be over 0 and at most ${max} (got ${text})`);
  }
  return value;
}

export function helpText(): string {
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  const list = scenarios.map(
    ({ name, about, isMain }) => `  ${isMain ? '*' : ' '} ${name.padEnd(width)}  ${about}`,
  );
  return [
    'npm run bench -- [scenario …] [options]',
    'npm run bench -- compare DIR [scenario …] [options]',
    '',
    'Scenarios (* run when none is named; all names all of them):',
    ...list,
    '',
    'Options:',
    '  --short         a smoke version of each, a few seconds long',
    '  --seconds N     seconds of load, instead of the scenario’s own',
    '  --rate N        arrivals a second, instead of the scenario’s own',
    '  --path agents   change agents (PATCH …/agents/{uid}) instead of reporting changes (POST …/changes)',
    '',
    'compare judges a change: it runs the scenarios (light burst when none is named) with the bench of the',
    'checkout in DIR, A, and of this one, B, in turns, and prints a table of both with the ratio B / A.',
    '  --rounds N      runs of each checkout, 2 by default',
    '',
    'With MONGODB_URI or TEMPORAL_ADDRESS set, those servers are used; give TEMPORAL_NAMESPACE, too, where',
    'another agent-herald works there. Tables go to stdout, JSON to dev/bench/results/.',
    'The exit code is 1 where an event was lost, a scenario could not be measured, or what must not disturb',
    `others made their p99 more than ${besideTimesMax} times as long (hanging-receiver, slow-sockets, sync; at the default rate`,
    `of a sync, ${syncTimesMax} times; retention: ${retentionTimesMax}); of compare, where that is so in any of its runs.`,
    '',
  ].join('\n');
}
