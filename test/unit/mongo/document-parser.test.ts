// Of documents that are read repeatedly, only changed ones are parsed.
import { BSON } from 'mongodb';
import { expect, test } from 'vitest';
import { DocumentParser } from '../../../lib/mongo/document-parser.ts';

interface Thing {
  _id: string;
  at: Date;
  text: string;
}

const at = new Date('2026-01-01');
const stored = (_id: string, text = 'x'): Buffer => Buffer.from(BSON.serialize({ _id, at, text }));
const sizeOf = stored('a').length;

test('a document with the same bytes is the same object, and a changed one is parsed again', async () => {
  const parser = new DocumentParser<Thing>(1_000);
  const [first] = await parser.parse([stored('a')]);
  expect(first).toEqual({ _id: 'a', at, text: 'x' });
  const [same, other] = await parser.parse([stored('a'), stored('b')]);
  expect(same).toBe(first);
  expect(other).toEqual({ _id: 'b', at, text: 'x' });
  const [changed] = await parser.parse([stored('a', 'y')]);
  expect(changed).toEqual({ _id: 'a', at, text: 'y' });
  // Of the same length, so that only the bytes differ.
  expect((await parser.parse([stored('a', 'z')]))[0]?.text).toBe('z');
});

test('cached documents do not keep the bytes that were read', async () => {
  const parser = new DocumentParser<Thing>(1_000);
  const read = stored('a');
  await parser.parse([read]);
  read.fill(0, 20);
  expect((await parser.parse([stored('a')]))[0]?.text).toBe('x');
});

test.each([
  [2 * sizeOf, true],
  [2 * sizeOf - 1, false],
])('of two documents with a limit of %i bytes, the first is kept: %s', async (bytesMax, isKept) => {
  const parser = new DocumentParser<Thing>(bytesMax);
  const [first, second] = await parser.parse([stored('a'), stored('b')]);
  expect((await parser.parse([stored('b')]))[0]).toBe(second);
  expect((await parser.parse([stored('a')]))[0] === first).toBe(isKept);
});

test('the least recently used document is dropped first', async () => {
  const parser = new DocumentParser<Thing>(2 * sizeOf);
  const [first, second] = await parser.parse([stored('a'), stored('b')]);
  await parser.parse([stored('a'), stored('c')]);
  expect((await parser.parse([stored('a')]))[0]).toBe(first);
  expect((await parser.parse([stored('b')]))[0]).not.toBe(second);
});
