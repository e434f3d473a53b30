import { expect, test } from 'vitest';
import type { AttemptState, AttemptTrigger } from '../../../lib/model/attempt.ts';
import { newId } from '../../../lib/platform/ids.ts';
import {
  addFact,
  type CountedDelivery,
  emptyCounts,
  factsOf,
  ownersOf,
} from '../../../lib/statistics/count-deliveries.ts';

const changedMs = Date.parse('2026-11-20T12:00:00Z');
const after = (ms: number): Date => new Date(changedMs + ms);

function attempt(
  atMs: number,
  state: AttemptState = 'delivered',
  trigger: AttemptTrigger = 'event',
) {
  return { at: after(atMs), ms: { total: 40 }, state, trigger };
}

function delivery(fields: Partial<CountedDelivery>): CountedDelivery {
  return {
    appUid: 'app_1',
    webhookUid: 'whk_1',
    eventId: newId('evt', new Date(changedMs)),
    event: 'agent.updated',
    state: 'delivered',
    requeuedAt: null,
    updatedAt: after(60_000),
    attempts: [],
    ...fields,
  };
}

test('each attempt counts at its end, with its state and its duration', () => {
  const attempts = [
    attempt(10, 'retrying'),
    attempt(5_000, 'exhausted', 'retry'),
    attempt(9_000, 'blocked', 'resend'),
  ];
  expect(factsOf(delivery({ state: 'blocked', attempts }))).toEqual([
    { atMs: changedMs + 50, outcome: 'retrying', attemptMs: 40, changeToReceiptMs: null },
    { atMs: changedMs + 5_040, outcome: 'exhausted', attemptMs: 40, changeToReceiptMs: null },
    { atMs: changedMs + 9_040, outcome: 'blocked', attemptMs: 40, changeToReceiptMs: null },
  ]);
});

test('a waiting or never attempted delivery counts nothing', () => {
  for (const state of ['pending', 'held', 'retrying'] as const) {
    expect(factsOf(delivery({ state }))).toEqual([]);
  }
});

test('a cancellation counts once, at its time, in addition to the attempts before it', () => {
  const facts = factsOf(delivery({ state: 'cancelled', attempts: [attempt(10, 'retrying')] }));
  expect(facts.map(({ outcome, atMs }) => [outcome, atMs - changedMs])).toEqual([
    ['retrying', 50],
    ['cancelled', 60_000],
  ]);
});

test.each<[string, Partial<CountedDelivery>, (number | null)[]]>([
  ['the first attempt', { attempts: [attempt(10)] }, [50]],
  [
    'a retry',
    { attempts: [attempt(10, 'retrying'), attempt(5_000, 'delivered', 'retry')] },
    [null, 5_040],
  ],
  ['a resend', { attempts: [attempt(90_000, 'delivered', 'resend')] }, [null]],
  ['a replay', { attempts: [attempt(90_000, 'delivered', 'replay')] }, [null]],
  [
    'a retry after a resend',
    {
      requeuedAt: after(80_000),
      attempts: [
        attempt(10),
        attempt(80_100, 'retrying', 'resend'),
        attempt(90_000, 'delivered', 'retry'),
      ],
    },
    [50, null, null],
  ],
])('the time from change to receipt of %s is counted correctly', (_of, fields, expected) => {
  const facts = factsOf(delivery(fields));
  expect(facts.map(({ changeToReceiptMs }) => changeToReceiptMs)).toEqual(expected);
});

test('the application counts its changes, and each webhook all its deliveries', () => {
  expect(ownersOf(delivery({}))).toEqual(['app_1', 'whk_1']);
  expect(ownersOf(delivery({ event: 'webhook.failing' }))).toEqual(['whk_1']);
});

test('counts contain the outcome, and durations only if there are any', () => {
  const counts = emptyCounts();
  const cancelled = { outcome: 'cancelled', attemptMs: null, changeToReceiptMs: null } as const;
  const delivered = { outcome: 'delivered', attemptMs: 0, changeToReceiptMs: 0 } as const;
  for (const fact of [cancelled, delivered, delivered]) addFact(counts, { atMs: 1, ...fact });
  expect(counts).toEqual({
    outcomes: { cancelled: 1, delivered: 2 },
    attemptMs: { 0: 2 },
    changeToReceiptMs: { 0: 2 },
  });
});
