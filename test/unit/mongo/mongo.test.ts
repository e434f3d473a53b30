// Errors of MongoDB, documents that are parsed once, and the clocks of the members.
import {
  MongoClient,
  MongoServerError,
  MongoBulkWriteError,
  MongoErrorLabel,
  MongoNetworkError,
  MongoServerSelectionError,
  BSON,
} from 'mongodb';
import { connectFault } from '../../../lib/mongo/connect-fault.ts';
import { isDatabaseUnavailable } from '../../../lib/mongo/database-unavailable.ts';
import { DocumentParser } from '../../../lib/mongo/document-parser.ts';
import { MemberClocks } from '../../../lib/mongo/member-clocks.ts';

async function faultOf(uri: string): Promise<Error> {
  try {
    await using client = new MongoClient(uri, { serverSelectionTimeoutMS: 100 });
    await client.connect();
  } catch (error) {
    return connectFault(uri, error);
  }
  throw new Error(`${uri} was connected to`);
}

test.each([
  [
    'a port on which nothing listens',
    'mongodb://127.0.0.1:1,127.0.0.1:2/app?replicaSet=a',
    'MongoDB at 127.0.0.1:1,127.0.0.1:2 cannot be reached: nothing listens there; is it running, and MONGODB_URI right?',
  ],
  [
    'another scheme',
    'http://ada:s3cret@127.0.0.1',
    'MONGODB_URI is not a connection string such as mongodb://host:27017',
  ],
  [
    'no host',
    'mongodb://ada:s3cret@',
    'MONGODB_URI is not a connection string such as mongodb://host:27017',
  ],
  [
    'an unknown option',
    'mongodb://ada:s3cret@127.0.0.1/?colour=red',
    'MONGODB_URI cannot be used: option colour is not supported',
  ],
])('%s is reported in one sentence', async (_what, uri, sentence) => {
  expect((await faultOf(uri)).message).toBe(sentence);
});

test('a refused password is reported without it', () => {
  const refused = new MongoServerError({ message: 'Authentication failed.', code: 18 });
  const { message } = connectFault('mongodb+srv://ada:s3cret@db.example/x', refused);
  expect(message).toBe('MongoDB at db.example refuses the user or password of MONGODB_URI');
});

// The driver exports only their types.
class PoolClearedOnNetworkError extends MongoNetworkError {
  override get name(): string {
    return 'PoolClearedOnNetworkError';
  }
}

const labelled = (label: string) =>
  new MongoServerError({ message: 'refused', code: 1, errorLabels: [label] });

function inBulk(cause: Error): Error {
  const error = Object.create(MongoBulkWriteError.prototype) as { errorResponse: Error };
  error.errorResponse = cause;
  return error as unknown as Error;
}

describe('a database that does not answer', () => {
  test.each([
    ['a lost connection', new MongoNetworkError('lost')],
    ['a cleared pool', new PoolClearedOnNetworkError('cleared')],
    ['no server', new MongoServerSelectionError('none', { error: null } as never)],
    ['a transaction to retry', labelled(MongoErrorLabel.TransientTransactionError)],
    ['a commit of unknown result', labelled(MongoErrorLabel.UnknownTransactionCommitResult)],
    ['a write to retry', labelled(MongoErrorLabel.RetryableWriteError)],
    ['a lost connection in a bulk write', inBulk(new MongoNetworkError('lost'))],
  ])('%s', (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  test.each([
    [50, 'a command that ran out of its time'],
    [91, 'a server that stops'],
    [189, 'a primary that steps down'],
    [10_107, 'a write at a server that is not the primary'],
    [11_600, 'a command that a stop interrupts'],
    [13_435, 'a read at a server that is not the primary'],
  ])('%i: %s', (code) => {
    expect(isDatabaseUnavailable(new MongoServerError({ message: 'no', code }))).toBe(true);
  });
});

describe('an answer of the database, or an error of ours', () => {
  test.each([
    ['a duplicate key', new MongoServerError({ message: 'duplicate', code: 11_000 })],
    ['a code next to that of an expired time', new MongoServerError({ message: 'no', code: 51 })],
    ['another error', new Error('lost')],
    ['nothing', undefined],
  ])('%s', (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});

interface Thing {
  _id: string;
  at: Date;
  text: string;
}

const storedAt = new Date('2026-01-01');
const stored = (_id: string, text = 'x'): Buffer =>
  Buffer.from(BSON.serialize({ _id, at: storedAt, text }));
const sizeOf = stored('a').length;

test('a document with the same bytes is the same object, and a changed one is parsed again', async () => {
  const parser = new DocumentParser<Thing>(1_000);
  const [first] = await parser.parse([stored('a')]);
  expect(first).toEqual({ _id: 'a', at: storedAt, text: 'x' });
  const [same, other] = await parser.parse([stored('a'), stored('b')]);
  expect(same).toBe(first);
  expect(other).toEqual({ _id: 'b', at: storedAt, text: 'x' });
  const [changed] = await parser.parse([stored('a', 'y')]);
  expect(changed).toEqual({ _id: 'a', at: storedAt, text: 'y' });
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

/** Members send their time every 2 s. `delaysMs` are those of the last responses. */
function clocksOf(members: Record<string, { aheadMs: number; delaysMs: number[] }>): MemberClocks {
  const clocks = new MemberClocks();
  for (const [member, { aheadMs, delaysMs }] of Object.entries(members)) {
    delaysMs.forEach((delayMs, n) => {
      const nowMs = n * 2_000;
      clocks.record(member, { sentMs: nowMs + aheadMs, receivedMs: nowMs + delayMs });
    });
  }
  return clocks;
}

const prompt = [1, 1, 1];

test.each([
  ['equal clocks', { a: 0, b: 0, c: 0 }, 0],
  ['one clock ahead', { a: 0, b: 10_000, c: 0 }, 10_000],
  ['one clock behind', { a: 0, b: -1_500, c: 0 }, 1_500],
  ['one ahead and one behind', { a: 700, b: -700, c: 0 }, 1_400],
])('%s differ by the distance of the outermost', (_name, ahead, spreadMs) => {
  const members = Object.entries(ahead).map(([member, aheadMs]) => {
    return [member, { aheadMs, delaysMs: prompt }] as const;
  });
  expect(clocksOf(Object.fromEntries(members)).spread()?.spreadMs).toBe(spreadMs);
});

test('the members that are furthest ahead and behind are named', () => {
  const clocks = clocksOf({
    a: { aheadMs: 0, delaysMs: prompt },
    b: { aheadMs: 900, delaysMs: prompt },
    c: { aheadMs: -900, delaysMs: prompt },
  });
  expect(clocks.spread()).toEqual({ spreadMs: 1_800, ahead: 'b', behind: 'c' });
});

test('a delayed response is no difference of clocks', () => {
  const clocks = clocksOf({
    a: { aheadMs: 0, delaysMs: [5_000, 1, 8_000] },
    b: { aheadMs: 0, delaysMs: [1, 7_000, 7_000] },
  });
  expect(clocks.spread()?.spreadMs).toBe(0);
});

test('a corrected clock no longer differs after ten responses', () => {
  const clocks = clocksOf({
    a: { aheadMs: 0, delaysMs: prompt },
    b: { aheadMs: 5_000, delaysMs: prompt },
  });
  const corrected = { sentMs: 0, receivedMs: 1 };
  for (let n = 0; n < 9; n += 1) clocks.record('b', corrected);
  expect(clocks.spread()?.spreadMs).toBe(5_000);
  clocks.record('b', corrected);
  expect(clocks.spread()?.spreadMs).toBe(0);
});

test('a member counts from its third response, and until one fails', () => {
  const clocks = clocksOf({
    a: { aheadMs: 0, delaysMs: prompt },
    b: { aheadMs: 5_000, delaysMs: [1, 1] },
  });
  expect(clocks.spread()).toBeNull();
  clocks.record('b', { sentMs: 5_000, receivedMs: 1 });
  expect(clocks.spread()?.spreadMs).toBe(5_000);
  clocks.forget('b');
  expect(clocks.spread()).toBeNull();
});
