// Compares two checkouts as a Markdown table.
import { type Distribution, median } from './distribution.ts';
import { none, renderTable, type Report, show, sumService } from './report.ts';

/** One run of the bench. `report` is null if it wrote none. */
export interface Run {
  report: Report | null;
  /** The exit code or signal. */
  end: number | string;
}

/** The runs of both checkouts, in the order of the rounds. */
export interface Runs {
  a: readonly Run[];
  b: readonly Run[];
}

type Figures = Readonly<Record<string, number | null>>;

/** Returns a table with a row per metric, and a sentence for each problem. */
export function renderComparison(runs: Runs): string {
  const a = runs.a.map(({ report }) => figuresOf(report));
  const b = runs.b.map(({ report }) => figuresOf(report));
  const subjects = new Map([...a, ...b].flatMap((figures) => [...figures]));
  const rows = [...subjects].flatMap(([subject, figures]) =>
    Object.keys(figures).map((figure, index) => {
      const of = (run: Map<string, Figures>): number | null => run.get(subject)?.[figure] ?? null;
      const values = { a: a.map(of), b: b.map(of) };
      const cells = [showValues(values.a), showValues(values.b), showRatio(values)];
      return [index === 0 ? subject : '', figure, ...cells];
    }),
  );
  const head = ['', 'figure', 'A, median (range)', 'B, median (range)', 'B / A (of each round)'];
  const notes = [...troublesOf('A', runs.a), ...troublesOf('B', runs.b)];
  const lines = notes.map((note) => `- ${note}`);
  return [renderTable([head, ...rows]), '', ...lines].join('\n').trimEnd();
}

/** Checks whether every run was successful. */
export function areSound({ a, b }: Runs): boolean {
  return [...a, ...b].every(({ report, end }) => report !== null && end === 0);
}

function figuresOf(report: Report | null): Map<string, Figures> {
  const floors = (report?.floor?.floors ?? []).map(
    ({ name, ms, perSecond }) =>
      [`floor: ${name}`, { ...latencies(ms), 'a second': perSecond }] as const,
  );
  const measured = (report?.scenarios ?? []).flatMap(({ name, measurements }) =>
    measurements.map((measurement) => {
      const figures = {
        ...latencies(measurement.receiptMs ?? measurement.answerMs),
        'events/s': measurement.eventsPerSecond,
        'CPU ms/event': sumService(measurement.cpuMsPerEvent),
      };
      return [nameSubject(name, measurement.name), figures] as const;
    }),
  );
  return new Map<string, Figures>([...floors, ...measured]);
}

function latencies(ms: Distribution | null): Figures {
  return { 'p50 ms': ms?.p50 ?? null, 'p99 ms': ms?.p99 ?? null };
}

// Omits a rate that the run found itself, because no other run shares it.
function nameSubject(scenario: string, measurement: string): string {
  const name = measurement.replace(/ \d+\/s$/, '');
  return name === scenario ? name : `${scenario}: ${name}`;
}

function troublesOf(letter: 'A' | 'B', runs: readonly Run[]): string[] {
  return runs.flatMap(({ report, end }, index) => {
    const run = `${letter}, round ${index + 1}`;
    const ended = typeof end === 'number' ? `exit code ${end}` : end;
    if (report === null) return [`${run}: no report (${ended}).`];
    const troubles = report.scenarios.flatMap(({ name, error, measurements, missed = [] }) => [
      ...(error === undefined ? [] : [`${name} could not be measured: ${error}`]),
      ...measurements
        .filter(({ lost }) => lost > 0)
        .map(
          ({ name: measured, lost }) =>
            `${nameSubject(name, measured)} lost ${lost} of its deliveries.`,
        ),
      ...missed.map((target) => `${name} missed its target: ${target}`),
    ]);
    if (end !== 0) troubles.push(`the bench ended with ${ended}.`);
    return troubles.map((trouble) => `${run}: ${trouble}`);
  });
}

function showValues(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return show(known[0]);
  return `${show(median(known))} (${show(Math.min(...known))} to ${show(Math.max(...known))})`;
}

// The ratio of the medians; in brackets the lowest and highest ratio of a round, in which A ran shortly before B.
function showRatio({ a, b }: { a: (number | null)[]; b: (number | null)[] }): string {
  const rounds = a.flatMap((value, index) => ratioOf(value, b[index] ?? null));
  const [ratio] = ratioOf(medianOf(a), medianOf(b));
  if (ratio === undefined) return none;
  if (rounds.length < 2) return ratio.toFixed(2);
  const [lowest, highest] = [Math.min(...rounds), Math.max(...rounds)];
  return `${ratio.toFixed(2)} (${lowest.toFixed(2)} to ${highest.toFixed(2)})`;
}

function ratioOf(a: number | null, b: number | null): number[] {
  return a === null || b === null || a === 0 ? [] : [b / a];
}

const medianOf = (values: readonly (number | null)[]): number | null =>
  median(values.filter((value) => value !== null));
