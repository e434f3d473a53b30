// The slots that a delivery may still use.
import { expect, test } from 'vitest';
import { hasSlot } from '../../../lib/rate-limit/slot.ts';

const slot = new Date('2026-01-01T12:00:00Z');
const reservedAt = new Date('2026-01-01T11:00:00Z');
const waited = { isRateLimited: true, nextAttemptAt: slot, updatedAt: reservedAt };
const after = (time: Date, ms: number): Date => new Date(time.getTime() + ms);

test.each([
  { of: 'at its time', lateMs: 0, valid: true },
  { of: 'a second late', lateMs: 1_000, valid: true },
  { of: 'more than a second late', lateMs: 1_001, valid: false },
  { of: 'of an unchanged webhook', changedMs: 0, valid: true },
  { of: 'of a webhook that was changed since', changedMs: 1, valid: false },
  { of: 'that is the time of a retry', fields: { isRateLimited: false }, valid: false },
  { of: 'without a time', fields: { nextAttemptAt: null }, valid: false },
])('a slot $of is valid: $valid', ({ lateMs = 0, changedMs = -1, fields = {}, valid }) => {
  const facts = { webhookUpdatedAt: after(reservedAt, changedMs), now: after(slot, lateMs) };
  expect(hasSlot({ ...waited, ...fields }, facts)).toBe(valid);
});

test('a delivery that was never attempted has no slot', () => {
  expect(hasSlot(null, { webhookUpdatedAt: reservedAt, now: slot })).toBe(false);
});
