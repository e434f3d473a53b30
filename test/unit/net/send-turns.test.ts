// Turns of requests: few at once while they end quickly, and slow ones that cost nobody else a turn.
import { expect, test } from '@jest/globals';
import { SendTurns } from '../../../lib/net/send-turns.ts';
import { waitFor } from '../../support/wait-for.ts';

const quick = { atOnceMax: 2, holdMsMax: 10_000, waitMsMax: 10_000 };

/** Enters and notes in `went` who went, in the order in which they did. */
function queueUp(turns: SendTurns, key: string, count: number) {
  const went: number[] = [];
  const leaves: (() => void)[] = [];
  const all = Array.from({ length: count }, async (_, n) => {
    leaves.push(await turns.enter(key));
    went.push(n);
  });
  return { went, leaves, all };
}

test('so many go at once, and each that ends lets the longest waiting one go', async () => {
  const turns = new SendTurns(quick);
  const { went, leaves, all } = queueUp(turns, 'a', 4);
  await Promise.all(all.slice(0, 2));
  expect(went).toEqual([0, 1]);
  leaves[1]?.();
  await all[2];
  expect(went).toEqual([0, 1, 2]);
  leaves[0]?.();
  await all[3];
  expect(went).toEqual([0, 1, 2, 3]);
  for (const leave of leaves) leave();
});

test('keys do not wait for each other', async () => {
  const turns = new SendTurns(quick);
  const first = queueUp(turns, 'a', 3);
  const other = queueUp(turns, 'b', 2);
  await Promise.all([...first.all.slice(0, 2), ...other.all]);
  expect(first.went).toEqual([0, 1]);
  expect(other.went).toEqual([0, 1]);
  for (const leave of [...first.leaves, ...other.leaves]) leave();
  await first.all[2];
  first.leaves[2]?.();
});

test('leaving twice gives one turn', async () => {
  const turns = new SendTurns(quick);
  const { went, leaves, all } = queueUp(turns, 'a', 4);
  await Promise.all(all.slice(0, 2));
  leaves[0]?.();
  leaves[0]?.();
  await all[2];
  await new Promise((resolve) => void setImmediate(resolve));
  expect(went).toEqual([0, 1, 2]);
  for (const leave of leaves) leave();
  await all[3];
  leaves[3]?.();
});

test('a request that takes long counts no longer, so those behind it go', async () => {
  const turns = new SendTurns({ ...quick, holdMsMax: 20 });
  const { went, leaves, all } = queueUp(turns, 'a', 6);
  await Promise.all(all);
  expect(went).toEqual([0, 1, 2, 3, 4, 5]);
  for (const leave of leaves) leave();
});

test('who waits too long is turned away, and takes no turn afterwards', async () => {
  const turns = new SendTurns({ ...quick, waitMsMax: 20 });
  const { leaves, all } = queueUp(turns, 'a', 3);
  await expect(all[2]).rejects.toMatchObject({ code: 'NO_TURN' });
  for (const leave of leaves) leave();
  const next = queueUp(turns, 'a', 2);
  await waitFor(() => next.went.length === 2);
  for (const leave of next.leaves) leave();
});

test('who is told to stop while it waits stops at once, and leaves its place to the others', async () => {
  const turns = new SendTurns(quick);
  const { leaves, all } = queueUp(turns, 'a', 2);
  await Promise.all(all);
  const stopping = new AbortController();
  const told = turns.enter('a', stopping.signal);
  const behind = turns.enter('a');
  stopping.abort(new Error('stopping'));
  await expect(told).rejects.toThrow('stopping');
  leaves[0]?.();
  (await behind)();
  leaves[1]?.();
});
