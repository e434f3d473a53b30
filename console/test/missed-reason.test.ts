import { expect, test } from 'vitest';
import { missedReason } from '../src/pages/events/missed-reason.ts';

const event = { event: 'agent.updated', externalTenantId: 'tenant\u202E1' } as const;

test('a condition shows its path and its values, cut when they are long', () => {
  const filter = (condition: Record<string, string | string[]>) =>
    missedReason({ outcome: 'filter', condition }, event);
  expect(filter({ 'a.b': ['x', 'y'] })).toMatch(/: a\.b is "x" or "y"\.$/);
  expect(filter({ a: 'x'.repeat(198) })).toMatch(/x"\.$/);
  expect(filter({ a: 'x'.repeat(199) })).toMatch(/x…\.$/);
});

test('a text from a stranger is shown with its hidden characters', () => {
  expect(missedReason({ outcome: 'tenant', condition: null }, event)).toContain('⟨202E⟩');
  const condition = { 'a\u202Eb': 'c\u202Ed' };
  expect(missedReason({ outcome: 'filter', condition }, event)).not.toContain('\u202E');
});

test('a webhook with a delivery has no reason', () => {
  expect(missedReason({ outcome: 'delivery', condition: null }, event)).toBeNull();
});
