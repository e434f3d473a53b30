// The test of the rules that a recording makes.
import { stringify } from 'yaml';
import type { Fault } from './faults.ts';
import type { Recording } from './recording.ts';
import { notationOf, repeated, type Series, seriesOf } from './series.ts';

const note =
  '# Made from a real run by `npm run test:alerts -- --write`. `npm run alerts:record` runs it.\n';
const firing = 'count by (alertname) (ALERTS{alertstate="firing"})';
const quietHourSeconds = 3_600;
const checkEverySeconds = 60;

/** Returns the names of the metrics that some rules read. */
function metricsOf(rules: string): Set<string> {
  return new Set(rules.match(/\b(?:herald_\w+|nodejs_\w+|target_info)/g));
}

/** The alert of the fault, and no other, fires within its time and is over within its time after the fault. */
export function testOfFault(recording: Recording, fault: Fault, rules: string): string {
  const { scrapes, scrapeEverySeconds: every, phases } = recording;
  const beginsAt = phases.before * every;
  const endsAt = beginsAt + phases.during * every;
  const { alert, firesWithinSeconds, clearsWithinSeconds } = fault;
  const checks = times(scrapes.length * every).map((at) => {
    if (at < beginsAt || at > endsAt + clearsWithinSeconds) return expectation(at, []);
    if (at >= beginsAt + firesWithinSeconds && at <= endsAt) return expectation(at, [alert]);
    return expectation(at, [], firing.replace('{', `{alertname!="${alert}",`));
  });
  return write(recording.name, {
    every,
    series: seriesOf(scrapes, metricsOf(rules)),
    checks,
  });
}

/** Nothing fires while the recorded minutes are repeated for an hour. */
export function testOfLoad(recording: Recording, rules: string): string {
  const { scrapes, scrapeEverySeconds: every } = recording;
  const length = quietHourSeconds / every;
  return write(recording.name, {
    every,
    series: repeated(seriesOf(scrapes, metricsOf(rules)), length),
    checks: times(quietHourSeconds).map((at) => expectation(at, [])),
  });
}

function times(seconds: number): number[] {
  const count = Math.floor(seconds / checkEverySeconds);
  return Array.from({ length: count }, (_, index) => index * checkEverySeconds);
}

function expectation(at: number, alerts: readonly string[], expr = firing) {
  const samples = alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 }));
  return { expr, eval_time: `${at}s`, exp_samples: samples };
}

function write(
  name: string,
  { every, series, checks }: { every: number; series: Series; checks: object[] },
): string {
  const inputs = [...series].map(([series, values]) => ({ series, values: notationOf(values) }));
  const test = { name, interval: `${every}s`, input_series: inputs, promql_expr_test: checks };
  const file = { rule_files: ['../rules.yml'], evaluation_interval: `${every}s`, tests: [test] };
  return note + stringify(file, { lineWidth: 0 });
}
