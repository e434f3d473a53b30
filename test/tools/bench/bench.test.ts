// The benchmark: its command line, how it counts the deliveries of a run, and how it compares two figures or checkouts.
import { readArguments } from '../../../dev/bench/arguments.ts';
import { compareBeside } from '../../../dev/bench/beside.ts';
import { renderComparison, type Run } from '../../../dev/bench/compare-table.ts';
import { Ledger } from '../../../dev/bench/ledger.ts';
import type { Report } from '../../../dev/bench/report.ts';

const comparisonOf = (...args: string[]) => readArguments(['compare', ...args]).comparison;

test('options that differ from the defaults are passed on, and names are not checked', () => {
  const options = ['--seconds', '5', '--rate', '40', '--short', '--path', 'agents'];
  expect(comparisonOf('../before', 'busy', 'unknown', '--rounds', '3', ...options)).toEqual({
    dir: '../before',
    names: ['busy', 'unknown'],
    rounds: 3,
    options,
  });
});

test.each([
  { args: ['compare'], error: 'compare needs the folder of another checkout' },
  { args: ['compare', 'x', '--rounds', '21'], error: '--rounds must be over 0 and at most 20' },
  { args: ['light', '--rounds', '2'], error: '--rounds is for compare only' },
])('refused: $args', ({ args, error }) => {
  expect(() => readArguments(args)).toThrow(error);
});

const missedBy = (aloneMs: number | undefined, besideMs: number | undefined): string[] =>
  compareBeside({ what: 'answers, beside others', aloneMs, besideMs }).missed;

test('a figure of more than twice the other misses the target, reported with limit and figure', () => {
  expect(missedBy(10, 20)).toEqual([]);
  expect(missedBy(10, 20.1)).toEqual([
    'p99 of answers, beside others: 2.01 times as long, and the limit is 2 times.',
  ]);
});

interface Figures {
  name: string;
  p50: number;
  lost?: number;
}

const msOf = (p50: number) => ({ count: 100, p50, p90: 3 * p50, p99: 4 * p50, max: 5 * p50 });

function measurementOf({ name, p50, lost = 0 }: Figures) {
  const cpuMsPerEvent = { api: p50 / 10, worker: 1, mongodb: 1, temporal: 1, driver: 99 };
  return {
    name,
    lost,
    receiptMs: msOf(p50),
    answerMs: msOf(1),
    eventsPerSecond: 20,
    cpuMsPerEvent,
  };
}

function runOf(scenarios: Record<string, Figures[]>, fields: Partial<Run> = {}): Run {
  const list = Object.entries(scenarios).map(([name, measured]) => ({
    name,
    measurements: measured.map(measurementOf),
    notes: [],
  }));
  const report = { floor: null, scenarios: list } as unknown as Report;
  return { report, end: 0, ...fields };
}

const light = (p50: number): Run => runOf({ light: [{ name: 'light', p50 }] });

/** Returns the cells of each row below the header. */
function rowsOf(markdown: string): string[][] {
  const lines = markdown.split('\n').filter((line) => line.startsWith('|'));
  return lines
    .slice(2)
    .map((line) => line.split('|').slice(1, -1))
    .map(trimAll);
}

function trimAll(cells: readonly string[]): string[] {
  return cells.map((cell) => cell.trim());
}

function notesOf(markdown: string): string[] {
  return markdown.split('\n').filter((line) => line.startsWith('- '));
}

test('each metric has the median and range of A and B, and the ratio of the medians and of each round', () => {
  const table = renderComparison({ a: [light(40), light(50)], b: [light(60), light(50)] });
  expect(rowsOf(table)).toEqual([
    ['light', 'p50 ms', '45 (40 to 50)', '55 (50 to 60)', '1.22 (1.00 to 1.50)'],
    ['', 'p99 ms', '180 (160 to 200)', '220 (200 to 240)', '1.22 (1.00 to 1.50)'],
    ['', 'events/s', '20 (20 to 20)', '20 (20 to 20)', '1.00 (1.00 to 1.00)'],
    ['', 'CPU ms/event', '7.5 (7 to 8)', '8.5 (8 to 9)', '1.13 (1.00 to 1.29)'],
  ]);
  expect(notesOf(table)).toEqual([]);
});

const taken = false;
const refused = true;

/** A ledger of acknowledged calls, 1 s apart, with the webhooks that get each event. */
function ledgerOf(...hookUids: string[][]): Ledger {
  const ledger = new Ledger((call) => new Set(hookUids[call]));
  for (const call of hookUids.keys()) {
    ledger.open(1_000 * call);
    ledger.close(call, { atMs: 1_000 * call + 5, failure: null });
  }
  return ledger;
}

test('an event is complete when each of its webhooks has accepted it', () => {
  const ledger = ledgerOf(['a', 'b'], ['b']);
  ledger.receive([['b', 1, 1_010, taken]]);
  ledger.receive([['a', 0, 1_020, taken]]);
  expect([ledger.complete, ledger.backlog, ledger.missing]).toEqual([1, 1, 1]);
  ledger.receive([['b', 0, 1_030, taken]]);
  expect([ledger.complete, ledger.backlog, ledger.missing]).toEqual([2, 0, 0]);
});

test('a refused delivery is missing until it arrives again and is accepted, which is not a duplicate', () => {
  const ledger = ledgerOf(['a']);
  ledger.receive([['a', 0, 10, refused]]);
  ledger.receive([['a', 0, 5_010, refused]]);
  expect([ledger.missing, ledger.isSettled(0), ledger.deliveries]).toEqual([1, false, 0]);
  ledger.receive([['a', 0, 10_010, taken]]);
  expect([ledger.missing, ledger.isSettled(0), ledger.deliveries]).toEqual([0, true, 1]);
  expect([ledger.refused, ledger.duplicates]).toEqual([2, 0]);
});

test('a delivery that arrives after an accepted one is a duplicate, whatever its response', () => {
  const ledger = ledgerOf(['a']);
  ledger.receive([['a', 0, 10, taken]]);
  ledger.receive([['a', 0, 20, taken]]);
  ledger.receive([['a', 0, 30, refused]]);
  expect([ledger.duplicates, ledger.refused, ledger.deliveries]).toEqual([2, 0, 1]);
});

test('the time to receipt is that of the first arrival; the span ends with the last arrival that is not a duplicate', () => {
  const ledger = ledgerOf(['a'], ['b']);
  ledger.receive([['a', 0, 10, refused]]);
  ledger.receive([['b', 1, 1_020, taken]]);
  ledger.receive([['a', 0, 5_010, taken]]);
  ledger.receive([['b', 1, 9_000, taken]]);
  expect(ledger.receiptMs()).toEqual([10, 20]);
  expect(ledger.receiptMs((hookUid) => hookUid === 'b')).toEqual([20]);
  expect(ledger.spanMs).toBe(5_010);
});
