// Decisions that must not be based on a stale read.
import { expect, test } from 'vitest';
import { type Decision, isFinal } from '../../../lib/deliveries/decide.ts';

test.each<[Decision, boolean]>([
  ['remove', true],
  ['notSendable', true],
  [{ state: 'cancelled', cancelReason: 'webhook_deleted' }, true],
  ['send', false],
  ['notDue', false],
  ['inFlightElsewhere', false],
  // A release sends it, possibly one that the retention starts.
  [{ state: 'held' }, false],
])('a decision that ends a delivery without an attempt is final: %j, %j', (decision, expected) => {
  expect(isFinal(decision)).toBe(expected);
});
