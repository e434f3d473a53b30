// The parts that pages share.
import { browserWords } from '../src/parts/browser-words.ts';
import { toCsv } from '../src/parts/csv.ts';
import { durationWords } from '../src/parts/duration-words.ts';
import { formatDuration, formatUtc } from '../src/parts/format-time.ts';
import { jsonRows, moveBy } from '../src/parts/json-rows.ts';
import { fromLocalInput, toLocalInput } from '../src/parts/local-time.ts';
import { createRefresher } from '../src/parts/refresher.ts';
import { traceUrl } from '../src/parts/trace-url.ts';
import { isTypedAs, visibleText } from '../src/parts/visible-text.ts';
import { workflowUrl } from '../src/parts/workflow-url.ts';

const like = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${like} Chrome/143.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${like} Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0`,
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/143.0 Mobile/15E148 Safari/604.1',
    'Chrome on iOS',
  ],
  ['Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0', 'Firefox on Android'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['', ''],
])('%s is %s', (userAgent, words) => {
  expect(browserWords(userAgent)).toBe(words);
});

const header = ['name'];
const rowOf = (cell: string): string => toCsv(header, [[cell]]).slice('name\r\n'.length);

test('lines end in CRLF, and cells are separated by commas', () => {
  expect(toCsv(['a', 'b'], [['1', '']])).toBe('a,b\r\n1,\r\n');
  expect(toCsv(['a'], [])).toBe('a\r\n');
});

test.each([
  ['a comma', 'a,b', '"a,b"\r\n'],
  ['a quote, which is doubled', 'a "b"', '"a ""b"""\r\n'],
  ['a line feed', 'a\nb', '"a\nb"\r\n'],
  ['a carriage return', 'a\rb', '"a\rb"\r\n'],
])('a cell with %s is quoted', (_what, cell, expected) => {
  expect(rowOf(cell)).toBe(expected);
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '\tx'])(
  'a spreadsheet does not calculate %j',
  (cell) => {
    expect(rowOf(cell)).toBe(`'${cell}\r\n`);
  },
);

test('a formula with a comma or after a line break is quoted, too', () => {
  expect(rowOf('=HYPERLINK("http://evil.example","x")')).toBe(
    `"'=HYPERLINK(""http://evil.example"",""x"")"\r\n`,
  );
  expect(rowOf('\r=1')).toBe(`"'\r=1"\r\n`);
});

test.each([
  ['90d', '90 days'],
  ['1h', '1 hour'],
  ['15m', '15 minutes'],
  ['30s', '30 seconds'],
  ['500ms', '500 milliseconds'],
  ['forever', 'forever'],
])('%s reads %s', (text, expected) => {
  expect(durationWords(text)).toBe(expected);
});

describe('a duration', () => {
  it.each([
    [0, '0 ms'],
    [999.4, '999 ms'],
    [1_000, '1 s'],
    [61_000, '1 min 1 s'],
    [3_600_000, '1 h'],
    [2 * 3_600_000 + 5 * 60_000 + 9_000, '2 h 5 min'],
    [86_400_000, '1 d'],
    [86_400_000 + 60_000, '1 d'],
    [90_000_000, '1 d 1 h'],
  ])('of %d ms is shown as %s, with its two largest units', (ms, shown) => {
    expect(formatDuration(ms)).toBe(shown);
  });
});

describe('a time', () => {
  it('has its instant in UTC, to the millisecond', () => {
    expect(formatUtc('2026-11-23T04:05:06.007+02:00')).toBe('2026-11-23 02:05:06.007 UTC');
  });
});

const nothing: ReadonlySet<string> = new Set();
const value = { a: { 'b/c': [1, { deep: { deeper: true } }] }, empty: {}, text: 'x' };

const shown = (toggled: ReadonlySet<string>) => jsonRows(value, toggled).map(({ path }) => path);

test('the first three levels are expanded, and toggled rows are inverted', () => {
  const first = ['', '/a', '/a/b~1c', '/a/b~1c/0', '/a/b~1c/1', '/empty', '/text'];
  expect(shown(nothing)).toEqual(first);
  expect(shown(new Set(['/a']))).toEqual(['', '/a', '/empty', '/text']);
  expect(shown(new Set(['/a/b~1c/1']))).toContain('/a/b~1c/1/deep');
});

test('a row with many children is collapsed at first, and a large value renders quickly', () => {
  const many = Array.from({ length: 100_000 }, (_, n) => n);
  expect(jsonRows(many, nothing)).toHaveLength(1);
  expect(jsonRows(many, new Set(['']))).toHaveLength(100_001);
});

test('a deep value does not exhaust the stack', () => {
  const depth = 100_000;
  expect(jsonRows(JSON.parse('['.repeat(depth) + ']'.repeat(depth)), nothing)).toHaveLength(4);
});

test.each([
  ['ArrowDown', 0, { index: 1, isToggled: false }],
  ['ArrowUp', 0, { index: 0, isToggled: false }],
  ['End', 0, { index: 6, isToggled: false }],
  ['Home', 4, { index: 0, isToggled: false }],
  ['ArrowLeft', 1, { index: 1, isToggled: true }],
  ['ArrowLeft', 4, { index: 2, isToggled: false }],
  ['ArrowLeft', 6, { index: 0, isToggled: false }],
  ['ArrowRight', 4, { index: 4, isToggled: true }],
  ['ArrowRight', 2, { index: 3, isToggled: false }],
  ['ArrowRight', 6, null],
  ['Enter', 1, { index: 1, isToggled: true }],
  ['Enter', 5, null],
  ['x', 0, null],
])('%s at row %i leads to %j', (key, index, move) => {
  expect(moveBy(key, jsonRows(value, nothing), index)).toEqual(move);
});

describe('the time of an input', () => {
  it('round-trips to the same instant', () => {
    const at = '2026-03-01T12:30:00.000Z';
    expect(fromLocalInput(toLocalInput(at))).toBe(at);
  });

  it.each(['', '0002-03-01T12:30', '0202-03-01T12:30', 'soon'])(
    'is none while it is %j',
    (typed) => {
      expect(fromLocalInput(typed)).toBeNull();
    },
  );
});

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const everyMs = 1_000;

function counted(tookMs = 0) {
  const run = { count: 0 };
  const refresher = createRefresher(async () => {
    run.count += 1;
    await new Promise((resolve) => setTimeout(resolve, tookMs));
  }, everyMs);
  return { run, refresher };
}

test('the first request refreshes immediately, and all of the next second once', async () => {
  const { run, refresher } = counted();
  for (let n = 0; n < 50; n += 1) refresher.ask();
  expect(run.count).toBe(1);
  await jest.advanceTimersByTimeAsync(everyMs - 1);
  expect(run.count).toBe(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(run.count).toBe(2);
  await jest.advanceTimersByTimeAsync(10 * everyMs);
  expect(run.count).toBe(2);
  refresher.ask();
  expect(run.count).toBe(3);
});

test('a slow refresh ends before the next one begins, which sees what came meanwhile', async () => {
  const { run, refresher } = counted(3 * everyMs);
  refresher.ask();
  await jest.advanceTimersByTimeAsync(2 * everyMs);
  refresher.ask();
  await jest.advanceTimersByTimeAsync(everyMs - 1);
  expect(run.count).toBe(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(run.count).toBe(2);
});

test('a failed refresh does not stop later ones', async () => {
  const refresh = jest.fn(() => Promise.reject(new Error('unavailable')));
  const refresher = createRefresher(refresh, everyMs);
  refresher.ask();
  refresher.ask();
  await jest.advanceTimersByTimeAsync(everyMs);
  expect(refresh).toHaveBeenCalledTimes(2);
});

test('after its end it refreshes no more', async () => {
  const { run, refresher } = counted();
  refresher.ask();
  refresher.ask();
  refresher.stop();
  await jest.advanceTimersByTimeAsync(everyMs);
  expect(run.count).toBe(1);
});

const traceId = '0af7651916cd43dd8448eb211c80319c';

test.each([
  [
    'https://jaeger.example.com/trace/{traceId}',
    traceId,
    `https://jaeger.example.com/trace/${traceId}`,
  ],
  [
    'http://localhost:3000/explore?t={traceId}&o=1',
    traceId,
    `http://localhost:3000/explore?t=${traceId}&o=1`,
  ],
  [null, traceId, null],
  ['javascript:alert("{traceId}")', traceId, null],
  ['https://jaeger.example.com/trace/{traceId}', '../admin', null],
])('with %s the trace %s has the page %s', (traceUrlTemplate, id, page) => {
  expect(traceUrl({ traceUrlTemplate }, id)).toBe(page);
});

describe('text from strangers', () => {
  it.each([
    ['markup stays as it is', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['marks that turn the direction are named', 'a\u202Eb\u2066c', 'a⟨202E⟩b⟨2066⟩c'],
    ['sequences of terminals are named', '\u001B[31mred', '⟨001B⟩[31mred'],
    ['a null character is named', 'a\u0000b', 'a⟨0000⟩b'],
    ['characters without width are named', 'a\u200Bb\uFEFF', 'a⟨200B⟩b⟨FEFF⟩'],
    ['a carriage return is named', 'a\rb', 'a⟨000D⟩b'],
    ['tabs and lines stay', 'a\tb\nc', 'a\tb\nc'],
    [
      'whatever else shows nothing is named',
      'a\u00AD\u034F\u180E\u3164\u{E0061}\uFE0F\u200Db',
      'a⟨00AD⟩⟨034F⟩⟨180E⟩⟨3164⟩⟨E0061⟩⟨FE0F⟩⟨200D⟩b',
    ],
    ['an emoji keeps what makes it one', '❤\uFE0F 👩🏽\u200D🚀', '❤\uFE0F 👩🏽\u200D🚀'],
    ['other scripts stay', 'שלום مرحبا 你好 🎉', 'שלום مرحبا 你好 🎉'],
  ])('%s', (_rule, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });
});

describe('a name that is typed to confirm', () => {
  it.each([
    { rule: 'counts as it is', typed: 'Billing', name: 'Billing', isTyped: true },
    { rule: 'counts without further spaces', typed: 'my app', name: ' my  app ', isTyped: true },
    { rule: 'counts as it is shown', typed: 'a⟨202E⟩b', name: 'a\u202Eb', isTyped: true },
    { rule: 'is not any other', typed: 'billing', name: 'Billing', isTyped: false },
  ])('$rule', ({ typed, name, isTyped }) => {
    expect(isTypedAs(typed, name)).toBe(isTyped);
  });
});

test('a workflow has a page where the address of Temporal’s UI is known', () => {
  const temporalNamespace = 'herald';
  const at = (temporalUiUrl: string | null) =>
    workflowUrl({ temporalUiUrl, temporalNamespace }, 'agent.created/evt_1');
  const page = 'https://temporal.example.com/ui/namespaces/herald/workflows/agent.created%2Fevt_1';
  expect(at('https://temporal.example.com/ui')).toBe(page);
  expect(at('https://temporal.example.com/ui/')).toBe(page);
  expect(at(null)).toBeNull();
});
