// When a failing webhook is reported: at most one notice per failure, and none twice.
import { expect, test } from 'vitest';
import { dayMs, minuteMs, secondMs } from '../../../lib/platform/duration.ts';
import type { Notified } from '../../../lib/model/webhook.ts';
import {
  type Health,
  nextNotice,
  quietSince,
  restartedClock,
  isExhaustedDue,
} from '../../../lib/webhooks/next-notice.ts';

const at = new Date('2026-11-22T12:00:00.000Z');
const before = (ms: number): Date => new Date(at.getTime() - ms);

function health(fields: Partial<Health> = {}): Health {
  return {
    _id: 'whk_1',
    appUid: 'app_1',
    kind: 'resources',
    url: 'https://hooks.example.com/',
    failingSince: null,
    lastExhaustedAt: null,
    notified: null,
    exhaustedNotice: null,
    ...fields,
  };
}

interface Row {
  /** Null: this is the first failure. */
  lastedMs: number | null;
  /** This failure exhausted its delivery, or an earlier one did. */
  exhausted?: 'now' | 'earlier';
  blocked?: boolean;
  notified?: Notified;
  deactivateAfterMs?: number;
  due: Notified | null;
}

const halfMs = 2.5 * dayMs;

test.each<Row>([
  { lastedMs: null, due: null },
  { lastedMs: null, exhausted: 'now', due: null },
  { lastedMs: 5 * minuteMs - 1, due: null },
  { lastedMs: null, blocked: true, due: 'failing' },
  { lastedMs: 1, blocked: true, due: 'failing' },
  { lastedMs: null, blocked: true, notified: 'failing', due: null },
  { lastedMs: 1, blocked: true, notified: 'failing', due: null },
  { lastedMs: 5 * minuteMs, due: 'failing' },
  { lastedMs: 5 * minuteMs, notified: 'failing', due: null },
  // An exhausted delivery alone does not make a webhook fail.
  { lastedMs: 5 * minuteMs - 1, exhausted: 'now', due: null },
  // A twentieth of the time to the deactivation, if that is shorter.
  { lastedMs: 3 * secondMs - 1, deactivateAfterMs: minuteMs, due: null },
  { lastedMs: 3 * secondMs, deactivateAfterMs: minuteMs, due: 'failing' },
  // Half of the time counts only once a delivery is exhausted; before, no deactivation follows.
  { lastedMs: halfMs, notified: 'failing', due: null },
  { lastedMs: halfMs - 1, exhausted: 'earlier', notified: 'failing', due: null },
  { lastedMs: halfMs, exhausted: 'earlier', notified: 'failing', due: 'deactivation_scheduled' },
  { lastedMs: halfMs, exhausted: 'now', notified: 'failing', due: 'deactivation_scheduled' },
  { lastedMs: halfMs, exhausted: 'now', due: 'deactivation_scheduled' },
  { lastedMs: halfMs, exhausted: 'now', notified: 'deactivation_scheduled', due: null },
  { lastedMs: 5 * dayMs - 1, exhausted: 'now', notified: 'deactivation_scheduled', due: null },
  { lastedMs: 5 * dayMs, exhausted: 'now', notified: 'deactivation_scheduled', due: 'deactivated' },
  { lastedMs: 5 * dayMs, exhausted: 'earlier', due: 'deactivated' },
  { lastedMs: 9 * dayMs, notified: 'failing', due: null },
  { lastedMs: 5 * dayMs, exhausted: 'now', notified: 'deactivated', due: 'deactivated' },
])(
  'after $lastedMs ms of failures, exhausted $exhausted, notified $notified: $due',
  ({ lastedMs, exhausted, blocked = false, notified = null, due, ...row }) => {
    const { deactivateAfterMs = 5 * dayMs } = row;
    const webhook = health({
      failingSince: lastedMs === null ? null : before(lastedMs),
      lastExhaustedAt: exhausted === 'earlier' ? before(minuteMs) : null,
      notified,
    });
    const failure = { at, exhausted: exhausted === 'now', blocked, deactivateAfterMs };
    expect(nextNotice(webhook, failure)).toBe(due);
  },
);

test('a webhook is failing without a success for minutes, and is deactivated without one since the first failure', () => {
  const facts = { at, blocked: false, deactivateAfterMs: 5 * dayMs };
  const since = before(4 * dayMs);
  expect(quietSince('failing', since, facts)).toEqual(before(5 * minuteMs));
  expect(quietSince('deactivation_scheduled', since, facts)).toBe(since);
  expect(quietSince('deactivated', since, facts)).toBe(since);
  expect(quietSince('failing', since, { ...facts, blocked: true })).toBe(since);
});

test.each([
  ['the first', null, true],
  ['another a minute later', { at: before(minuteMs), eventId: 'evt_1', attempt: 12 }, true],
  ['another 1 ms sooner', { at: before(minuteMs - 1), eventId: 'evt_1', attempt: 12 }, false],
  ['the same an hour later', { at: before(60 * minuteMs), eventId: 'evt_2', attempt: 12 }, false],
  ['the same after a resend', { at: before(60 * minuteMs), eventId: 'evt_2', attempt: 11 }, true],
])(
  'an exhausted delivery (%s) after the notice %j is reported: %j',
  (_which, exhaustedNotice, told) => {
    const facts = { at, eventId: 'evt_2', attempt: 12 };
    expect(isExhaustedDue(health({ exhaustedNotice }), facts)).toBe(told);
  },
);

test.each<[Notified | null, Notified | null]>([
  [null, null],
  ['failing', 'failing'],
  ['deactivation_scheduled', 'failing'],
  ['deactivated', 'failing'],
])('a clock restarted after the notice %s keeps the notice %s', (notified, left) => {
  const stopped = { failingSince: null, lastExhaustedAt: null, notified: left };
  expect(restartedClock(null, notified)).toEqual(stopped);
  const running = { failingSince: at, lastExhaustedAt: at, notified: left };
  expect(restartedClock({ at, exhausted: true }, notified)).toEqual(running);
});
