import { expect, test } from 'vitest';
import type { Attempt, Delivery } from '@agent-herald/client';
import { meaningOf } from '../src/pages/deliveries/delivery-meaning.ts';

const now = new Date('2026-11-23T12:00:00Z');
const schedule = ['5s', '30s', '2m', '90m', '1d'];

function failed(n: number, fields: Partial<Attempt> = {}): Attempt {
  return {
    n,
    at: now.toISOString(),
    trigger: n === 1 ? 'event' : 'retry',
    state: 'retrying',
    status: 500,
    errorClass: 'status',
    detail: null,
    ms: { total: 3 },
    responseSample: '',
    responseHeaders: [],
    traceId: null,
    ...fields,
  };
}

const timedOut = { status: null, errorClass: 'timeout' } as const;
const answered = (n: number): Attempt => failed(n, { status: 204, errorClass: null });

type Facts = Partial<Pick<Delivery, 'state' | 'cancelReason' | 'attempts' | 'nextAttemptAt'>>;

function meaning(facts: Facts, waits: string[] | null = schedule): string {
  const before: Required<Facts> = {
    state: 'pending',
    cancelReason: null,
    attempts: [],
    nextAttemptAt: null,
  };
  return meaningOf({ ...before, ...facts }, { now, schedule: waits });
}

const inFourMinutes = '2026-11-23T12:04:12.500Z';

test('a failed delivery shows how it failed and when it is retried', () => {
  const attempts = [failed(1), failed(2), failed(3)];
  const facts: Facts = { state: 'retrying', attempts, nextAttemptAt: inFourMinutes };
  const begin =
    'The receiver responded with 500, three times in a row. The next attempt is in 4 min 12 s';
  const end = /; 2 more follow until about 24 Nov, \d\d:34\.$/;
  expect(meaning(facts)).toMatch(new RegExp(begin + end.source));
  expect(meaning(facts, null)).toBe(`${begin}.`);
  expect(meaning(facts, ['5s', '30s', '2m'])).toBe(`${begin}. It is the last attempt.`);
});

test('only equal failures at the end are counted, and only since the last resend or replay', () => {
  const state = 'retrying';
  const before = [failed(1), failed(2, timedOut)];
  expect(meaning({ state, attempts: before })).toBe(
    'The receiver did not respond in time. The next attempt is running.',
  );
  const anew = [...before, failed(3, { ...timedOut, trigger: 'resend' })];
  const nextAttemptAt = now.toISOString();
  expect(meaning({ state, attempts: anew, nextAttemptAt }, ['5s', '1d'])).toMatch(
    /^The receiver did not respond in time\. The next attempt is due now; 1 more follows until/,
  );
});

test.each<[string, Facts, RegExp]>([
  [
    'delivered at once',
    { state: 'delivered', attempts: [answered(1)] },
    /responded with 204 on the first attempt\.$/,
  ],
  [
    'delivered later',
    { state: 'delivered', attempts: [failed(1), failed(2), answered(3)] },
    /on attempt 3, after 2 failures\.$/,
  ],
  [
    'gone',
    { state: 'exhausted', attempts: [failed(1, { status: 410 })] },
    /410 Gone, so the service deactivated the webhook\. Correct its URL, resume it, then resend\.$/,
  ],
  [
    'exhausted',
    { state: 'exhausted', attempts: [failed(1)] },
    /^The receiver responded with 500\. No attempts are left/,
  ],
  ['held', { state: 'held' }, /paused/],
  ['erased', { state: 'cancelled', cancelReason: 'erased' }, /payload was erased/],
  ['not yet tried', { state: 'pending' }, /first attempt/],
  [
    'waiting for the rate',
    { state: 'pending', nextAttemptAt: inFourMinutes },
    /rate limit allows it in 4 min 12 s/,
  ],
  [
    'blocked',
    { state: 'blocked', attempts: [failed(1, { status: null, errorClass: 'blocked' })] },
    /no public or allowed address\. It will not be retried/,
  ],
])('a delivery that is %s is described in words', (_, facts, words) => {
  expect(meaning(facts)).toMatch(words);
});
