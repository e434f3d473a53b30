// Interim responses are skipped at the same cost for any split into pieces.
import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { createInterimSkipper } from '../../../lib/egress/interim-responses.ts';

/** Returns the bytes that are left for the parser. */
function leftOf(pieces: readonly string[]): string {
  let readable: Buffer | null = null;
  const read = (): Buffer | null => {
    const bytes = readable;
    readable = null;
    return bytes;
  };
  const unshift = (bytes: Buffer): void => void (readable = bytes);
  const skipInterim = createInterimSkipper(
    { read, unshift },
    { onInterim: () => undefined, onFinal: () => undefined },
  );
  return pieces
    .map((piece) => {
      readable = Buffer.from(piece, 'latin1');
      skipInterim();
      return read()?.toString('latin1') ?? '';
    })
    .join('');
}

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const ofLines = fc
  .array(fc.constantFrom('\r', '\n', '\r\n', 'X: a', ' ', 'HTTP/1.1 100 '), { maxLength: 8 })
  .map((parts) => parts.join(''))
  .filter((text) => !/\n\r?\n/.test(text) && !text.startsWith('\n') && !text.startsWith('\r'));
const interimHead = fc
  .tuple(
    fc.constantFrom('HTTP/1.1 100', 'HTTP/1.0 103', 'HTTP/1.1 101'),
    fc.constantFrom(' ', '\r\n', '\n'),
    ofLines,
    fc.constantFrom('\n\n', '\r\n\r\n', '\r\n\n', '\n\r\n'),
  )
  .map(([start, end, lines, emptyLine]) => `${start}${end}X${lines}X${emptyLine}`);

test('only interim responses are removed, for any split into pieces', () => {
  const property = fc.property(
    fc.array(interimHead, { maxLength: 4 }),
    fc.infiniteStream(fc.integer({ min: 1, max: 20 })),
    (heads, lengths) => {
      const text = heads.join('') + answer;
      const pieces: string[] = [];
      for (let start = 0; start < text.length;) {
        const end = start + lengths.next().value;
        pieces.push(text.slice(start, end));
        start = end;
      }
      expect(leftOf(pieces)).toBe(answer);
    },
  );
  fc.assert(property, { numRuns: 2_000 });
});

test('an interim response that arrives byte by byte is scanned only once', () => {
  const drips = Array.from({ length: 512 * 1024 }, () => 'x');
  const before = process.cpuUsage();
  expect(leftOf(['HTTP/1.1 103 Hints\r\nX: ', ...drips, '\r\n\r\n', answer])).toBe(answer);
  // Usually half a second; with a scan of everything each time, minutes.
  expect(process.cpuUsage(before).user).toBeLessThan(15_000_000);
});
