// Text of strangers on a terminal, and URLs in messages.
import { afterEach, expect, test, vi } from 'vitest';
import { maskUrls, printable } from '../../../../packages/cli/src/printable.ts';
import { print, printFields, printTable } from '../../../../packages/cli/src/session.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns what is printed, on a terminal or elsewhere. */
function printed(isTTY: boolean, write: () => void): string {
  let text = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  const before = process.stdout.isTTY;
  process.stdout.isTTY = isTTY;
  try {
    write();
  } finally {
    process.stdout.isTTY = before;
  }
  return text;
}

const stranger = 'a\u202eb\x1b[31m';
const safe = 'a\\u202eb\\u001b[31m';

test.each<[string, () => void]>([
  ['a cell', () => printTable([stranger], { name: (text) => text })],
  ['a list in a cell', () => printTable([stranger], { name: (text) => [text] })],
  ['an object in a cell', () => printTable([stranger], { name: (text) => ({ text }) })],
  ['a field', () => printFields({ name: stranger })],
  ['a field with a list', () => printFields({ names: [stranger] })],
])('characters that a terminal would act on are escaped in %s', (_, write) => {
  for (const isTTY of [true, false]) {
    const text = printed(isTTY, write);
    expect(text).toContain(safe);
    expect(text).not.toContain('\u202e');
    expect(text).not.toContain('\x1b');
  }
});

test('JSON is escaped on a terminal, with the same meaning, and unchanged elsewhere', () => {
  const value = { name: `${stranger}\x9b\u{e0041}` };
  const text = JSON.stringify(value, null, 2);
  const shown = printed(true, () => print(text));
  expect(shown).not.toMatch(/[\u202e\x9b]/);
  expect(JSON.parse(shown)).toEqual(value);
  expect(printed(false, () => print(text))).toBe(`${text}\n`);
});

test.each([
  [
    'see https://me:pw@a.test/x?y=b@c, or http://a.test/@x',
    'see https://***@c, or http://a.test/@x',
  ],
  ['http://token@a.test:1/', 'http://***@a.test:1/'],
  ["'me:pw@a.test'", "'***@a.test'"],
  ['mailto:ops@a.test ada@a.test', 'mailto:ops@a.test ada@a.test'],
])('%s is shown as %s', (text, expected) => {
  expect(maskUrls(text)).toBe(expected);
});

test.each([
  ['a\u202eb\u2066\u200f', 'a\\u202eb\\u2066\\u200f'],
  ['\x1b[31m\x7f\x9b\r\t\n', '\\u001b[31m\\u007f\\u009b\\u000d\\u0009\n'],
  ['a\u200bb\u00ad\ufeff\u2028\u{e0041}', 'a\\u200bb\\u00ad\\ufeff\\u2028\\udb40\\udc41'],
  ['Zoë 名 שלום 👩\u200d🚀 ❤️', 'Zoë 名 שלום 👩\u200d🚀 ❤️'],
])('%j is printed as %j', (text, expected) => {
  expect(printable(text)).toBe(expected);
});
