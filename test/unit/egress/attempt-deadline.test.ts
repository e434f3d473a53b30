// The deadline of an attempt, checked again right before its request is written.
import { expect, test } from 'vitest';
import { startDeadline } from '../../../lib/egress/attempt-deadline.ts';

const timeUp = expect.objectContaining({ code: 'ATTEMPT_DEADLINE' });

/** Blocks the event loop, like a suspension of the process: no timer fires meanwhile. */
function standStill(forMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
}

test('a request does not start after its deadline, even if no timer has fired', () => {
  const deadline = startDeadline(100, {});
  deadline.check();
  standStill(101);
  expect(deadline.signal.aborted).toBe(false);
  expect(() => deadline.check()).toThrow(timeUp);
  deadline.stop();
});

test('a request that its caller refuses does not start, and the caller gets its own error', () => {
  const refusal = new Error('the lease has ended');
  const beforeRequest = (): void => {
    throw refusal;
  };
  const deadline = startDeadline(10_000, { beforeRequest });
  deadline.throwIfEnded();
  expect(() => deadline.check()).toThrow(refusal);
  expect(() => deadline.throwIfEnded()).toThrow(refusal);
  deadline.stop();
});
