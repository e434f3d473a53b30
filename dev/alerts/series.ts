// Turns scrapes into the notation of `promtool test rules`.
import { type Role, roles } from './stage.ts';
import type { Scrape } from './scrape.ts';

/** The values of a series, a scrape each; null where it was not there. */
export type Series = Map<string, (number | null)[]>;

const linePattern = /^([a-zA-Z_:]\w*)(?:\{(.*)\})? (\S+)$/;
const latenessBucket = /(?:^|,)le="(?!5")/;

/** Picks the series of the named metrics, and `up`, with the labels that Prometheus gives its targets. */
export function seriesOf(scrapes: readonly Scrape[], metrics: ReadonlySet<string>): Series {
  const series: Series = new Map();
  const put = (name: string, index: number, value: number): void => {
    const values = series.get(name) ?? Array.from(scrapes, () => null);
    values[index] = value;
    series.set(name, values);
  };
  for (const [index, scrape] of scrapes.entries()) {
    for (const role of roles) {
      const page = scrape[role];
      put(`up{${targetLabels(role)}}`, index, page === null ? 0 : 1);
      for (const [name, value] of readPage(page ?? '', metrics, role)) put(name, index, value);
    }
  }
  return series;
}

function* readPage(
  page: string,
  metrics: ReadonlySet<string>,
  role: Role,
): Generator<[string, number]> {
  for (const line of page.split('\n')) {
    const [, metric = '', labels = '', value = ''] = linePattern.exec(line) ?? [];
    // Of histograms only the bucket that the rules read.
    if (!metrics.has(metric) || latenessBucket.test(labels)) continue;
    const own = metric === 'target_info' ? `service_name="agent-herald-${role}"` : labels;
    const all = [targetLabels(role), own].filter((part) => part !== '').join(',');
    yield [`${metric}{${all}}`, Math.round(Number(value) * 100) / 100];
  }
}

function targetLabels(role: Role): string {
  return `job="agent-herald-${role}",instance="${role}:9464"`;
}

/** Repeats what was recorded until there are `length` values; counters go on from where they were. */
export function repeated(series: Series, length: number): Series {
  return new Map(
    [...series].map(([name, values]) => {
      const known = values.filter((value) => value !== null);
      const gained = isCounter(name) ? (known.at(-1) ?? 0) - (known[0] ?? 0) : 0;
      const more = Array.from({ length }, (_, index) => {
        const value = values[index % values.length] ?? null;
        return value === null ? null : value + gained * Math.floor(index / values.length);
      });
      return [name, more];
    }),
  );
}

function isCounter(name: string): boolean {
  return /_(?:total|bucket|count)\{/.test(name);
}

/** Writes values as `start+stepxcount`, with the mark that Prometheus sets where a series ends. */
export function notationOf(values: readonly (number | null)[]): string {
  const parts: string[] = [];
  let index = 0;
  while (index < values.length) {
    const value = values[index] ?? null;
    const run = runAt(values, index);
    if (value === null) {
      const endsHere = index > 0;
      if (endsHere) parts.push('stale');
      const blanks = endsHere ? run - 1 : run;
      if (blanks > 0) parts.push(blanks === 1 ? '_' : `_x${blanks}`);
    } else {
      const step = run > 1 ? (values[index + 1] ?? 0) - value : 0;
      parts.push(run === 1 ? String(value) : `${value}${sign(step)}x${run - 1}`);
    }
    index += run;
  }
  return parts.join(' ');
}

function sign(step: number): string {
  return step < 0 ? String(step) : `+${step}`;
}

/** Returns how many values from `start` on are all absent, or have one step between them. */
function runAt(values: readonly (number | null)[], start: number): number {
  const first = values[start] ?? null;
  const second = values[start + 1] ?? null;
  let end = start + 1;
  if (first === null) {
    while (end < values.length && values[end] === null) end += 1;
    return end - start;
  }
  if (second === null || !Number.isInteger(second - first)) return 1;
  while (end < values.length && values[end] === first + (second - first) * (end - start)) end += 1;
  return end - start;
}
