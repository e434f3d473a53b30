import { expect, test } from 'vitest';
import { parseTime } from '../../../api/http/query-values.ts';
import { AppError } from '../../../lib/platform/errors.ts';

function detailOf(text: string): string {
  try {
    return parseTime('since', text).toISOString();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.message;
  }
}

test('a time whose plus a query has lost is refused with the cure', () => {
  const of = (text: string): string =>
    detailOf(new URLSearchParams(`since=${text}`).get('since') ?? '');
  expect(of('2026-11-21T12:00:00%2B02:00')).toBe('2026-11-21T10:00:00.000Z');
  const rule = 'since must be a time such as 2026-11-21T12:00:00Z';
  expect(of('2026-11-21T12:00:00+02:00')).toBe(`${rule}; write + as %2B in a query`);
  expect(of('2026-11-21T12:00:00')).toBe(rule);
});
