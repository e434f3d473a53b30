// Two checkouts side by side: which results are compared, and how the rest is reported.
import { expect, test } from 'vitest';
import { areSound, renderComparison, type Run } from '../../../dev/bench/compare-table.ts';
import type { Report } from '../../../dev/bench/report.ts';

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

test('the median of three rounds is the middle one', () => {
  const a = [light(30), light(10), light(20)];
  const [row] = rowsOf(renderComparison({ a, b: a }));
  expect(row).toEqual(['light', 'p50 ms', '20 (10 to 30)', '20 (10 to 30)', '1.00 (1.00 to 1.00)']);
});

test('one round has no range', () => {
  const [row] = rowsOf(renderComparison({ a: [light(40)], b: [light(30)] }));
  expect(row).toEqual(['light', 'p50 ms', '40', '30', '0.75']);
});

test('the parts of the floor come first, with their own ratio', () => {
  const withFloor = (p50: number): Run => {
    const run = light(40);
    const floors = [{ name: 'bare POST', ms: msOf(p50), perSecond: 1_000, atOnce: 16 }];
    return { ...run, report: { ...run.report, floor: { floors } } as unknown as Report };
  };
  const rows = rowsOf(renderComparison({ a: [withFloor(2)], b: [withFloor(3)] }));
  expect(rows.slice(0, 4)).toEqual([
    ['floor: bare POST', 'p50 ms', '2', '3', '1.50'],
    ['', 'p99 ms', '8', '12', '1.50'],
    ['', 'a second', '1,000', '1,000', '1.00'],
    ['light', 'p50 ms', '40', '40', '1.00'],
  ]);
});

test('measurements are compared by name, except a rate that each run found itself', () => {
  const a = [
    runOf({
      steady: [
        { name: 'sustained 562/s', p50: 40 },
        { name: 'steady 337/s', p50: 20 },
      ],
    }),
  ];
  const b = [
    runOf({
      steady: [
        { name: 'sustained 570/s', p50: 60 },
        { name: 'steady 342/s', p50: 30 },
      ],
    }),
  ];
  const rows = rowsOf(renderComparison({ a, b })).filter(([, figure]) => figure === 'p50 ms');
  expect(rows).toEqual([
    ['steady: sustained', 'p50 ms', '40', '60', '1.50'],
    ['steady', 'p50 ms', '20', '30', '1.50'],
  ]);
});

test('a measurement that only one checkout has is shown without a ratio', () => {
  const both = { name: '1 → 10', p50: 40 };
  const a = [runOf({ 'fan-out': [both] })];
  const b = [runOf({ 'fan-out': [both, { name: '1 → 100', p50: 90 }] })];
  const table = renderComparison({ a, b });
  expect(rowsOf(table)[4]).toEqual(['fan-out: 1 → 100', 'p50 ms', '–', '90', '–']);
});

test('a round in which one checkout failed counts for the other, but has no ratio', () => {
  const a = [light(40), light(20)];
  const b = [light(40), { report: null, end: 1 }];
  const table = renderComparison({ a, b });
  expect(rowsOf(table)[0]).toEqual(['light', 'p50 ms', '30 (20 to 40)', '40', '1.33']);
  expect(notesOf(table)).toEqual(['- B, round 2: no report (exit code 1).']);
});

test('lost deliveries, missed targets and failed scenarios are listed with their run', () => {
  const bad = runOf({ light: [{ name: 'light', p50: 40, lost: 2 }] }, { end: 1 });
  const failed = {
    name: 'burst',
    measurements: [],
    notes: [],
    error: 'it broke',
    missed: ['p99.'],
  };
  bad.report?.scenarios.push(failed);
  expect(notesOf(renderComparison({ a: [light(40), bad], b: [light(40), light(40)] }))).toEqual([
    '- A, round 2: light lost 2 of its deliveries.',
    '- A, round 2: burst could not be measured: it broke',
    '- A, round 2: burst missed its target: p99.',
    '- A, round 2: the bench ended with exit code 1.',
  ]);
});

test('runs are sound when each wrote a report and ended with 0', () => {
  const good = light(40);
  expect(areSound({ a: [good], b: [good] })).toBe(true);
  expect(areSound({ a: [good], b: [{ ...good, end: 1 }] })).toBe(false);
  expect(areSound({ a: [{ ...good, end: 'SIGKILL' }], b: [good] })).toBe(false);
  expect(areSound({ a: [good], b: [{ ...good, report: null }] })).toBe(false);
});
