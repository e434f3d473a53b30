// The numbers of reported changes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectStore, type Store } from '../../../lib/mongo/connect.ts';
import { raiseFloor, raiseSequences } from '../../../lib/mongo/raise-counts.ts';
import { countInTransaction, countReports, sequenceId } from '../../../lib/mongo/sequences.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { waitFor } from '../../support/wait-for.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await createInstallation();
});

afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
});

/** Counts a group of reports about all resources twice, in `groups` concurrent calls. Returns the numbers of each. */
async function countConcurrently(
  groups: number,
  resourceUids: readonly string[],
): Promise<number[][]> {
  const appUid = newId('app', new Date());
  const one = resourceUids.map((resourceUid) =>
    sequenceId({ appUid, entity: 'agent', resourceUid }),
  );
  const counts = await Promise.all(
    Array.from({ length: groups }, () => countReports(installation.store, [...one, ...one])),
  );
  return resourceUids.map((_uid, index) =>
    counts.flatMap((numbers) => [numbers[index] ?? 0, numbers[one.length + index] ?? 0]),
  );
}

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

test.each([
  ['of one resource', ['a']],
  ['of several resources', ['a', 'b', 'c']],
])('eight groups of reports %s counted concurrently get every number once', async (_, uids) => {
  for (const numbers of await countConcurrently(8, uids)) {
    expect(numbers.toSorted((a, b) => a - b)).toEqual(upTo(16));
  }
});

test('a hundred groups counted concurrently get no number twice', async () => {
  for (const numbers of await countConcurrently(100, ['a', 'b', 'c'])) {
    expect(new Set(numbers).size).toBe(200);
  }
});

test('in a group a later report of a resource has the greater number', async () => {
  for (const numbers of await countConcurrently(3, ['a', 'b'])) {
    for (let index = 0; index < numbers.length; index += 2) {
      expect(numbers[index + 1]).toBe((numbers[index] ?? 0) + 1);
    }
  }
});

type Count = (store: Store, ids: string[]) => Promise<number[]>;

const countTogether: Count = (store, ids) =>
  inTransaction(store, (session) => countInTransaction(store, ids, session));

const newCounter = (): string =>
  sequenceId({ appUid: 'app_1', entity: 'agent', resourceUid: newId('agt', new Date()) });

test.each<[string, number, Count]>([
  ['one', 1, countReports],
  ['several', 3, countReports],
  ['one in a transaction', 1, countTogether],
  ['several in a transaction', 3, countTogether],
])('new counters begin above the floor, and those that exist go on: %s', async (_, count, next) => {
  const { store } = installation;
  const old = Array.from({ length: count }, newCounter);
  const [last = 0] = await next(store, old);
  await raiseFloor(store, new Date());
  const floor = (await store.sequences.findOne({ _id: 'floor' }))?.last ?? 0;
  const made = Array.from({ length: count }, newCounter);
  expect(await next(store, made)).toEqual(made.map(() => floor + 1));
  expect(await next(store, made)).toEqual(made.map(() => floor + 2));
  expect(await next(store, old)).toEqual(old.map(() => last + 1));
});

test('a number that a process gave by an earlier floor is below the next one, once counters are raised', async () => {
  const { store, config } = installation;
  await using running = await connectStore(config.mongodb);
  await countReports(running, [newCounter()]);
  await raiseFloor(store, new Date());
  const id = newCounter();
  const [stale = 0] = await countReports(running, [id]);
  await raiseSequences(store, new Date());
  const floor = (await store.sequences.findOne({ _id: 'floor' }))?.last ?? 0;
  expect(stale).toBeLessThan(floor);
  for (const process of [running, store]) {
    const [next = 0] = await countReports(process, [id]);
    expect(next).toBeGreaterThan(floor);
  }
});

test('a running process begins new counters above a raised floor before the others are raised, 10 s later', async () => {
  const { store, config } = installation;
  await using running = await connectStore(config.mongodb);
  await countReports(running, [newCounter()]);
  await raiseFloor(store, new Date());
  const floor = (await store.sequences.findOne({ _id: 'floor' }))?.last ?? 0;
  const isAbove = async () => ((await countReports(running, [newCounter()]))[0] ?? 0) > floor;
  await waitFor(isAbove, { what: 'the floor', timeoutMs: 10_000 });
});
