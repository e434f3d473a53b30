// Turns of requests: few at once while they end quickly, and slow ones that cost nobody else a turn.
import { expect, test } from '@jest/globals';
import { enterLines, SendTurns } from '../../../lib/net/send-turns.ts';
import type { Turn } from '../../../lib/net/send-turns.ts';
import { waitFor } from '../../support/wait-for.ts';

const quick = { atOnceMax: 2, holdMsMax: 10_000 };
const patient = { waitMsMax: 10_000 };

/** Enters and notes in `went` who went, in the order in which they did. */
function queueUp(turns: SendTurns, count: number, { key = 'a', waitMsMax = 10_000 } = {}) {
  const went: number[] = [];
  const leaves: (() => void)[] = [];
  const all = Array.from({ length: count }, async (_, n) => {
    const turn = await turns.enter(key, { waitMsMax });
    turn.begin();
    leaves.push(turn.leave);
    went.push(n);
  });
  return { went, leaves, all };
}

test('so many go at once, and each that ends lets the longest waiting one go', async () => {
  const turns = new SendTurns(quick);
  const { went, leaves, all } = queueUp(turns, 4);
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
  const first = queueUp(turns, 3);
  const other = queueUp(turns, 2, { key: 'b' });
  await Promise.all([...first.all.slice(0, 2), ...other.all]);
  expect(first.went).toEqual([0, 1]);
  expect(other.went).toEqual([0, 1]);
  for (const leave of [...first.leaves, ...other.leaves]) leave();
  await first.all[2];
  first.leaves[2]?.();
});

test('leaving twice gives one turn', async () => {
  const turns = new SendTurns(quick);
  const { went, leaves, all } = queueUp(turns, 4);
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
  const { went, leaves, all } = queueUp(turns, 6);
  await Promise.all(all);
  expect(went).toEqual([0, 1, 2, 3, 4, 5]);
  for (const leave of leaves) leave();
});

test('who waits too long is turned away, and takes no turn afterwards', async () => {
  const turns = new SendTurns(quick);
  const { leaves, all } = queueUp(turns, 3, { waitMsMax: 20 });
  await expect(all[2]).rejects.toMatchObject({ code: 'NO_TURN' });
  for (const leave of leaves) leave();
  const next = queueUp(turns, 2);
  await waitFor(() => next.went.length === 2);
  for (const leave of next.leaves) leave();
});

test('who waits is turned away sooner where no request ends while it counts', async () => {
  const turns = new SendTurns({ atOnceMax: 1, holdMsMax: 20, slowWaitMsMax: 60 });
  const all = Array.from({ length: 1_000 }, async () => {
    (await turns.enter('a', patient)).begin();
  });
  const ends = await Promise.allSettled(all);
  expect(ends[0]).toMatchObject({ status: 'fulfilled' });
  expect(ends.at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'NO_TURN' } });
});

test('who waits keeps waiting where requests end', async () => {
  const turns = new SendTurns({ ...quick, slowWaitMsMax: 20 });
  const { leaves, all } = queueUp(turns, 2);
  await Promise.all(all);
  const [behind, last] = [1, 2].map(() => turns.enter('a', patient));
  leaves[0]?.();
  (await behind)?.begin();
  // Asked later, so refused later than the one before it would have been.
  await expect(turns.enter('a', { waitMsMax: 40 })).rejects.toMatchObject({ code: 'NO_TURN' });
  leaves[1]?.();
  (await last)?.leave();
  (await behind)?.leave();
});

/** A line in which two may go at once, and as many requests are late as given. */
async function lineWithLate(count: number): Promise<{ turns: SendTurns; late: Turn[] }> {
  const turns = new SendTurns({ ...quick, holdMsMax: 10, slowWaitMsMax: 10_000 });
  const late = await Promise.all(Array.from({ length: count }, () => turns.enter('a', patient)));
  for (const turn of late) turn.begin();
  // That all of them are late shows by the turns that are free again.
  const next = await Promise.all(quickTurns.map(() => turns.enter('a', patient)));
  for (const turn of next) turn.leave();
  return { turns, late };
}

const quickTurns = Array.from({ length: quick.atOnceMax });

test('a line is slow while as many requests are late as may go at once', async () => {
  const { turns, late } = await lineWithLate(quick.atOnceMax);
  expect([turns.isSlow('a'), turns.isSlow('b')]).toEqual([true, false]);
  late[0]?.leave();
  expect(turns.isSlow('a')).toBe(false);
  late[1]?.leave();
  expect((await lineWithLate(quick.atOnceMax - 1)).turns.isSlow('a')).toBe(false);
});

test('in a slow line turns are free to those who ask, and no more wait than may go at once', async () => {
  const { turns, late } = await lineWithLate(quick.atOnceMax);
  const going = await Promise.all(quickTurns.map(() => turns.enter('a', patient)));
  const waiting = quickTurns.map(() => turns.enter('a', patient));
  await expect(turns.enter('a', patient)).rejects.toMatchObject({ code: 'NO_TURN' });
  for (const turn of [...late, ...going]) turn.leave();
  for (const turn of waiting) (await turn).leave();
});

test('a request that has not begun is never late', async () => {
  const { turns, late } = await lineWithLate(quick.atOnceMax - 1);
  const [idle, begun] = await Promise.all(quickTurns.map(() => turns.enter('a', patient)));
  const behind = turns.enter('a', patient);
  begun?.begin();
  // It has the turn of the one that began and is late by now, the other keeps its own.
  const turn = await behind;
  expect(turns.isSlow('a')).toBe(true);
  late[0]?.leave();
  expect(turns.isSlow('a')).toBe(false);
  for (const one of [idle, begun, turn]) one?.leave();
});

test('who waits behind requests that have not begun is not turned away for the receiver’s sake', async () => {
  const turns = new SendTurns({ ...quick, slowWaitMsMax: 10 });
  const idle = await Promise.all(quickTurns.map(() => turns.enter('a', patient)));
  const behind = turns.enter('a', patient);
  // One that gives up later than the one before it would have.
  await expect(turns.enter('a', { waitMsMax: 30 })).rejects.toMatchObject({ code: 'NO_TURN' });
  idle[0]?.leave();
  (await behind).leave();
  idle[1]?.leave();
});

test('when the waits end, who waits is turned away, and a turn that is free is given', async () => {
  const turns = new SendTurns(quick);
  const { leaves, all } = queueUp(turns, 3);
  await Promise.all(all.slice(0, 2));
  turns.endWaits();
  await expect(all[2]).rejects.toMatchObject({ code: 'NO_TURN' });
  await expect(turns.enter('a', patient)).rejects.toMatchObject({ code: 'NO_TURN' });
  leaves[0]?.();
  (await turns.enter('a', patient)).leave();
  leaves[1]?.();
});

test('who is told to stop while it waits stops at once, and leaves its place to the others', async () => {
  const turns = new SendTurns(quick);
  const { leaves, all } = queueUp(turns, 2);
  await Promise.all(all);
  const stopping = new AbortController();
  const told = turns.enter('a', { ...patient, signal: stopping.signal });
  const behind = turns.enter('a', patient);
  stopping.abort(new Error('stopping'));
  await expect(told).rejects.toThrow('stopping');
  leaves[0]?.();
  (await behind).leave();
  leaves[1]?.();
});

test('one webhook never has all turns of an origin, however much it sends', async () => {
  const ofWebhook = new SendTurns({ ...quick, atOnceMax: 2 });
  const ofOrigin = new SendTurns({ ...quick, atOnceMax: 3 });
  const went: string[] = [];
  const send = async (webhook: string): Promise<Turn> => {
    const turn = await enterLines(
      [
        [ofWebhook, webhook],
        [ofOrigin, 'origin'],
      ],
      patient,
    );
    went.push(webhook);
    return turn;
  };
  const noisy = Array.from({ length: 100 }, () => send('noisy'));
  await Promise.all(noisy.slice(0, 2));
  const quiet = await send('quiet');
  expect(went).toEqual(['noisy', 'noisy', 'quiet']);
  quiet.leave();
  for (const turn of noisy) (await turn).leave();
  expect(went).toHaveLength(101);
});

test('a request that waits for an origin keeps its place among those of its webhook', async () => {
  const ofWebhook = new SendTurns({ atOnceMax: 1, holdMsMax: 20 });
  const ofOrigin = new SendTurns({ ...quick, atOnceMax: 1 });
  const lines = [
    [ofWebhook, 'noisy'],
    [ofOrigin, 'origin'],
  ] as const;
  const busy = await ofOrigin.enter('origin', patient);
  const first = enterLines(lines, patient);
  // Longer than a request counts, had it begun.
  await expect(ofWebhook.enter('noisy', { waitMsMax: 60 })).rejects.toMatchObject({
    code: 'NO_TURN',
  });
  busy.leave();
  (await first).leave();
});

test('a long wait in one line makes the next one no slower', async () => {
  const slowWaitMsMax = 30;
  const ofWebhook = new SendTurns({ ...quick, slowWaitMsMax });
  const ofOrigin = new SendTurns({ ...quick, slowWaitMsMax });
  const [first, second] = await Promise.all([
    ofWebhook.enter('a', patient),
    ofWebhook.enter('a', patient),
  ]);
  first.begin();
  second.begin();
  const before = ofWebhook.enter('a', patient);
  const entering = enterLines(
    [
      [ofWebhook, 'a'],
      [ofOrigin, 'origin'],
    ],
    patient,
  );
  // The line moves while it waits, so it waits on.
  first.leave();
  const since = performance.now();
  await waitFor(() => performance.now() - since > 2 * slowWaitMsMax);
  second.leave();
  (await entering).leave();
  (await before).leave();
});

test('the waits in all lines together have one limit, and who gives up leaves every line', async () => {
  const ofWebhook = new SendTurns({ ...quick, atOnceMax: 1 });
  const ofOrigin = new SendTurns({ ...quick, atOnceMax: 1 });
  const busy = await ofOrigin.enter('origin', patient);
  const lines = [
    [ofWebhook, 'a'],
    [ofOrigin, 'origin'],
  ] as const;
  await expect(enterLines(lines, { waitMsMax: 20 })).rejects.toMatchObject({ code: 'NO_TURN' });
  busy.leave();
  (await enterLines(lines, { waitMsMax: 20 })).leave();
});
