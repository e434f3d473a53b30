import { expect, test } from 'vitest';
import { toCsv } from '../src/parts/csv.ts';

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

test('a formula sign within a text stays as it is', () => {
  expect(rowOf('a=b')).toBe('a=b\r\n');
});
