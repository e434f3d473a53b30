import { expect, test } from 'vitest';
import {
  listRefreshMsOf,
  pauseReasonOf,
  refreshMsOf,
} from '../src/pages/deliveries/delivery-refresh.ts';
import { streamQueryOf } from '../src/pages/deliveries/stream-query.ts';

test.each([
  ['pending', 2_000],
  ['retrying', 2_000],
  ['held', 10_000],
  ['delivered', false],
  ['exhausted', false],
  ['blocked', false],
  ['cancelled', false],
] as const)('the page of a delivery that is %s refreshes after %s ms', (state, refreshMs) => {
  expect(refreshMsOf({ state, attemptCount: 1 }, null)).toBe(refreshMs);
});

test('after a resend the page refreshes until the first attempt is made', () => {
  expect(refreshMsOf({ state: 'delivered', attemptCount: 3 }, 3)).toBe(2_000);
  expect(refreshMsOf({ state: 'delivered', attemptCount: 4 }, 3)).toBe(false);
});

test.each([
  [['delivered', 'pending'], 2_000],
  [['delivered', 'retrying', 'held'], 10_000],
  [[], 10_000],
] as const)('a list of deliveries that are %j refreshes after %s ms', (states, refreshMs) => {
  expect(listRefreshMsOf(states.map((state) => ({ state })))).toBe(refreshMs);
});

test.each([
  [null, {}],
  ['person', { isPausedByPerson: true, selectedCount: 1, pageCount: 2 }],
  ['selection', { selectedCount: 1, pageCount: 2 }],
  ['older', { pageCount: 2 }],
] as const)('the pause of a list for the reason %s is due to %o', (reason, reading) => {
  const following = { isPausedByPerson: false, selectedCount: 0, pageCount: 1 };
  expect(pauseReasonOf({ ...following, ...reading })).toBe(reason);
});

test.each([
  [{}, {}],
  [
    { state: 'pending', event: 'agent.created', externalTenantId: 'shop' },
    { event: 'agent.created', externalTenantId: 'shop' },
  ],
  [{ until: '2026-11-23T12:00:00.000Z' }, null],
  [{ event: 'webhook.test' }, null],
  [{ event: 'typed by hand' }, null],
])('the list %o follows the events %o', (search, query) => {
  expect(streamQueryOf(search)).toEqual(query);
});
