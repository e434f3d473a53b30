// Decisions that must not follow from a stale read.
import { expect, test } from 'vitest';
import { type Decision, isFinal } from '../../../lib/deliveries/decide.ts';

test.each<[Decision, boolean]>([
  ['remove', true],
  ['notMine', true],
  [{ state: 'cancelled', cancelReason: 'webhook_deleted' }, true],
  ['send', false],
  ['notYet', false],
  ['elsewhere', false],
  // A release sends it, if need be one that the retention starts.
  [{ state: 'held' }, false],
])('a decision that leaves a delivery unsent for good is final: %j, %j', (decision, expected) => {
  expect(isFinal(decision)).toBe(expected);
});
