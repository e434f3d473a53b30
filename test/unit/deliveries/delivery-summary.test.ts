// The result of a workflow: counts, and the attempts of deliveries that were retried or failed.
import { expect, test } from 'vitest';
import { attemptLimits } from '../../../lib/limits.ts';
import type { DeliveryOutcome } from '../../../lib/model/delivery-outcome.ts';
import { addSummaries, summarizeOutcomes } from '../../../lib/temporal/delivery-summary.ts';

const at = '2026-03-01T12:00:00.000Z';

/** The outcome of a failed delivery with `count` attempts, which may be none to show. */
function failed(eventId: string, count: number): DeliveryOutcome {
  const attempts = Array.from({ length: count }, (_none, index) => ({
    n: index + 1,
    at,
    ms: 5_000,
    errorClass: 'timeout' as const,
  }));
  return {
    eventId,
    webhookUid: 'whk_1',
    state: 'exhausted',
    attemptCount: count,
    status: null,
    errorClass: 'timeout',
    host: null,
    attemptsMax: null,
    nextAttemptAt: null,
    ...(count === 0 ? {} : { attempts }),
  };
}

test('deliveries without attempts to show add no field', () => {
  const delivered = { ...failed('evt_1', 0), state: 'delivered' } as const;
  expect(summarizeOutcomes([delivered])).not.toHaveProperty('attempts');
  expect(addSummaries(summarizeOutcomes([delivered]), summarizeOutcomes([]))).not.toHaveProperty(
    'attempts',
  );
});

test('deliveries are shown with all their attempts, up to 60 attempts in a result', () => {
  const { attemptsShownMax } = attemptLimits;
  const full = [failed('evt_1', 20), failed('evt_2', 20), failed('evt_3', 20)];
  const more = [failed('evt_4', 21), failed('evt_5', 20)];
  const shown = ({ attempts = [] }: ReturnType<typeof summarizeOutcomes>) => ({
    events: attempts.map(({ eventId }) => eventId),
    count: attempts.reduce((sum, each) => sum + each.attempts.length, 0),
  });
  const all = { events: ['evt_1', 'evt_2', 'evt_3'], count: attemptsShownMax };
  expect(shown(summarizeOutcomes([...full, ...more]))).toEqual(all);
  const [first, second, ...rest] = full;
  const before = summarizeOutcomes([first, second].flatMap((each) => each ?? []));
  const after = summarizeOutcomes([...more.slice(0, 1), ...rest]);
  expect(shown(addSummaries(before, after))).toEqual(all);
  expect(addSummaries(before, after).failedCount).toBe(4);
});
