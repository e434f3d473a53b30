import { expect, test } from 'vitest';
import { progressOf } from '../src/pages/replays/replay-progress.ts';
import {
  bodyOf,
  durationOf,
  failedStates,
  statesFor,
  type Wish,
  wishFault,
} from '../src/pages/replays/replay-wish.ts';

const now = new Date('2026-11-23T12:00:00.000Z');
const wish: Wish = {
  range: 'hour',
  since: '',
  until: '',
  webhookUid: '',
  events: [],
  externalTenantId: ' ',
  states: ['exhausted'],
  perSecond: 20,
};

test('a range ends when it is counted, so that what is sent is what was counted', () => {
  const until = now.toISOString();
  const body = { perSecond: 20, states: ['exhausted'] };
  expect(bodyOf(wish, now)).toEqual({ ...body, since: '2026-11-23T11:00:00.000Z', until });
  const day = bodyOf({ ...wish, range: 'day' }, now);
  expect(day).toMatchObject({ since: '2026-11-22T12:00:00.000Z', until });
  const own = { ...wish, range: 'own', since: '2026-11-01T00:00:00.000Z' } as const;
  expect(bodyOf(own, now)).toMatchObject({ since: own.since, until });
});

test('states of one webhook alone are left out for the application', () => {
  const states = ['exhausted', 'delivered', 'never_attempted'] as const;
  expect(bodyOf({ ...wish, states }, now).states).toEqual(['exhausted']);
  expect(bodyOf({ ...wish, states, webhookUid: 'whk_1' }, now).states).toEqual(states);
  expect(statesFor('')).toHaveLength(6);
});

test('what somebody discarded is sent only when it is asked for, and its choice says so', () => {
  expect(failedStates).toEqual(['exhausted', 'blocked']);
  const choice = statesFor('').find(({ value }) => value === 'cancelled');
  expect(choice?.label).toContain('what somebody discarded');
});

test.each<[Partial<Wish>, string | null]>([
  [{}, null],
  [{ range: 'own' }, 'Say from when on.'],
  [{ range: 'own', since: '2026-11-02T00:00:00Z' }, null],
  [
    { range: 'own', since: '2026-11-02T00:00:00Z', until: '2026-11-02T00:00:00Z' },
    'The end has to be after the beginning.',
  ],
  [{ states: [] }, 'Choose at least one state.'],
  [{ states: ['delivered'] }, 'Choose at least one state.'],
  [{ states: ['delivered'], webhookUid: 'whk_1' }, null],
])('of the wish %j is missing: %s', (fields, fault) => {
  expect(wishFault({ ...wish, ...fields })).toBe(fault);
});

test('a replay of so many deliveries takes at least their number by its rate', () => {
  expect(durationOf(1, 20)).toBe('1 s');
  expect(durationOf(9_001, 20)).toBe('7 min 31 s');
});

const running = {
  state: 'running',
  since: '2026-11-23T10:00:00Z',
  until: '2026-11-23T12:00:00Z',
  reachedAt: null,
  webhookCount: 2,
  webhooksDone: 0,
} as const;

test.each([
  [{}, 0],
  [{ reachedAt: '2026-11-23T11:00:00Z' }, 25],
  [{ reachedAt: '2026-11-23T09:00:00Z' }, 0],
  [{ webhooksDone: 1, reachedAt: '2026-11-23T11:30:00Z' }, 87],
  [{ webhookCount: 0 }, 0],
  [{ state: 'done' as const, webhooksDone: 2 }, 100],
])('a replay of two webhooks with %j is at %i %%', (fields, percent) => {
  expect(progressOf({ ...running, ...fields })).toBe(percent);
});
