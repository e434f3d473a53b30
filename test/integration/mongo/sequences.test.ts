// The numbers of reported changes.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../../lib/platform/ids.ts';
import { countReports, sequenceId } from '../../../lib/mongo/sequences.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';

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
