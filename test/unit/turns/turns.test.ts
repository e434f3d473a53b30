// Costly work takes turns: so many at once, so many waiting, the rest is refused.
import { expect, test } from '@jest/globals';
import { createTurns } from '../../../lib/turns.ts';

interface Job {
  done: Promise<unknown>;
  end: (error?: Error) => void;
  began: boolean;
}

function startJob(take: ReturnType<typeof createTurns>): Job {
  const job: Job = { done: Promise.resolve(), end: () => undefined, began: false };
  const work = new Promise<void>((resolve, reject) => {
    job.end = (error) => (error === undefined ? resolve() : reject(error));
  });
  const done = take(async () => {
    job.began = true;
    await work;
  });
  job.done = done.catch((error: unknown) => error);
  return job;
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('no more run at once than may, and those that wait go in the order they came', async () => {
  const take = createTurns({ atOnceMax: 2, waitingMax: 2 });
  const jobs = Array.from({ length: 4 }, () => startJob(take));
  await settle();
  expect(jobs.map((job) => job.began)).toEqual([true, true, false, false]);
  jobs[1]?.end();
  await settle();
  expect(jobs.map((job) => job.began)).toEqual([true, true, true, false]);
  jobs[0]?.end();
  await settle();
  expect(jobs.map((job) => job.began)).toEqual([true, true, true, true]);
  for (const job of jobs) job.end();
  await Promise.all(jobs.map((job) => job.done));
});

test('what would wait behind too many is refused, and a failure gives its place back', async () => {
  const take = createTurns({ atOnceMax: 1, waitingMax: 1 });
  const [running, waiting, refused] = [startJob(take), startJob(take), startJob(take)];
  expect(await refused.done).toMatchObject({ code: 'overloaded' });
  expect(refused.began).toBe(false);
  running.end(new Error('no'));
  expect(await running.done).toMatchObject({ message: 'no' });
  waiting.end();
  expect(await waiting.done).toBeUndefined();
  const later = startJob(take);
  await settle();
  expect(later.began).toBe(true);
  later.end();
  await later.done;
});

test('who waits longer than may be is refused, and the turn goes to the next', async () => {
  const take = createTurns({ atOnceMax: 1, waitingMax: 5, waitMsMax: 20 });
  const [running, late] = [startJob(take), startJob(take)];
  const error = (await late.done) as { code: string; retryAfterSeconds: number };
  expect(error).toMatchObject({ code: 'overloaded' });
  expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(2);
  expect(take.standing()).toEqual({ running: 1, waiting: 0 });
  const next = startJob(take);
  expect(take.standing()).toEqual({ running: 1, waiting: 1 });
  running.end();
  next.end();
  expect(await next.done).toBeUndefined();
  expect(late.began).toBe(false);
  expect(take.standing()).toEqual({ running: 0, waiting: 0 });
});
