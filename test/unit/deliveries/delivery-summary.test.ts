// The result of a workflow: counts, and deliveries with their attempts.
import { expect, test } from 'vitest';
import { attemptLimits, dispatchLimits } from '../../../lib/limits.ts';
import type { DeliveryOutcome } from '../../../lib/model/delivery-outcome.ts';
import { addSummaries, summarizeOutcomes } from '../../../lib/temporal/delivery-summary.ts';
import type { DeliverySummary } from '../../../lib/temporal/messages.ts';

const { attemptsShownMax, deliveriesShownMax } = attemptLimits;
const { idsPerSearchAttributeMax } = dispatchLimits;
const at = '2026-03-01T12:00:00.000Z';

/** The outcome of a delivery with `count` attempts, possibly 0. */
function outcome(eventId: string, state: DeliveryOutcome['state'], count: number): DeliveryOutcome {
  const attempts = Array.from({ length: count }, (_none, index) => ({
    n: index + 1,
    at,
    ms: 12,
    status: 500,
  }));
  return {
    eventId,
    webhookUid: 'whk_1',
    state,
    attemptCount: count,
    status: 500,
    errorClass: 'status',
    host: 'hooks.example.com',
    attemptsMax: 9,
    nextAttemptAt: null,
    ...(count === 0 ? {} : { attempts }),
  };
}

const many = (count: number, state: DeliveryOutcome['state'], attempts: number) =>
  Array.from({ length: count }, (_none, index) => outcome(`evt_${index}`, state, attempts));

const shownBy = ({ shown }: DeliverySummary): string[] =>
  shown.map(({ eventId, attempts = [] }) => `${eventId}: ${attempts.length}`);

test('a delivery is shown with its receiver and attempts', () => {
  const { shown } = summarizeOutcomes([outcome('evt_1', 'delivered', 1)], true);
  expect(shown).toEqual([
    {
      eventId: 'evt_1',
      webhookUid: 'whk_1',
      state: 'delivered',
      host: 'hooks.example.com',
      attempts: [{ n: 1, at, ms: 12, status: 500 }],
    },
  ]);
});

test('a workflow that does not show every delivery shows failed and retried ones', () => {
  const summary = summarizeOutcomes([
    outcome('evt_1', 'delivered', 1),
    outcome('evt_2', 'delivered', 2),
    outcome('evt_3', 'held', 0),
    outcome('evt_4', 'exhausted', 1),
  ]);
  expect(summary).toMatchObject({ deliveries: 4, delivered: 2, held: 1, failedCount: 1 });
  expect(shownBy(summary)).toEqual(['evt_4: 1', 'evt_2: 2']);
});

test('failed deliveries come first, however late they fail', () => {
  const before = summarizeOutcomes([outcome('evt_1', 'delivered', 1)], true);
  const after = summarizeOutcomes([outcome('evt_2', 'blocked', 1)], true);
  expect(shownBy(addSummaries(before, after))).toEqual(['evt_2: 1', 'evt_1: 1']);
});

test(`up to ${deliveriesShownMax} successful deliveries are shown`, () => {
  const all = summarizeOutcomes(many(deliveriesShownMax, 'delivered', 1), true);
  expect(all.shown).toHaveLength(deliveriesShownMax);
  const more = addSummaries(all, summarizeOutcomes([outcome('evt_more', 'held', 0)], true));
  expect(more.shown).toEqual(all.shown);
  expect(more.deliveries).toBe(deliveriesShownMax + 1);
});

test(`up to ${idsPerSearchAttributeMax} failed deliveries are shown`, () => {
  const all = summarizeOutcomes(many(idsPerSearchAttributeMax, 'exhausted', 1));
  expect(all.shown).toHaveLength(idsPerSearchAttributeMax);
  const more = addSummaries(all, summarizeOutcomes([outcome('evt_more', 'exhausted', 1)]));
  expect(more.shown).toEqual(all.shown);
  expect(more.failedCount).toBe(idsPerSearchAttributeMax + 1);
});

test(`beyond ${attemptsShownMax} attempts in total, only the last attempt of each delivery is shown`, () => {
  const full = summarizeOutcomes(many(3, 'exhausted', 20));
  expect(shownBy(full)).toEqual(['evt_0: 20', 'evt_1: 20', 'evt_2: 20']);
  const { shown } = addSummaries(full, summarizeOutcomes([outcome('evt_3', 'exhausted', 2)]));
  expect(shown.at(-1)).toMatchObject({ eventId: 'evt_3', attempts: [{ n: 2 }] });
});
