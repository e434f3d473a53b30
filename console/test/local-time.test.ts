import { describe, expect, it } from 'vitest';
import { fromLocalInput, toLocalInput } from '../src/parts/local-time.ts';

describe('the time of an input', () => {
  it('round-trips to the same instant', () => {
    const at = '2026-03-01T12:30:00.000Z';
    expect(fromLocalInput(toLocalInput(at))).toBe(at);
  });

  it.each(['', '0002-03-01T12:30', '0202-03-01T12:30', 'soon'])(
    'is none while it is %j',
    (typed) => {
      expect(fromLocalInput(typed)).toBeNull();
    },
  );
});
