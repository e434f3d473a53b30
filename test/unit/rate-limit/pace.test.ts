// The times at a webhook's rate: how far apart, for whom, and what becomes of those that come late.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextTime, type PacedTime, type PaceQuestion } from '../../../lib/rate-limit/pace.ts';
import type { Pace } from '../../../lib/model/pace.ts';

const start = 1_700_000_000_000;

/** The one line of a webhook, asked by any number of processes. */
class Line {
  pace: Pace | null = null;

  ask(nowMs: number, fields: Partial<PaceQuestion> = {}): PacedTime {
    const question = { nowMs, ratePerSecond: 5, isInLine: false, mayWait: true, ...fields };
    const { pace, time } = nextTime(this.pace, question);
    this.pace = pace;
    return time;
  }
}

const inLine = { isInLine: true };
const countMost = (times: readonly number[], windowMs: number): number =>
  Math.max(
    0,
    ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length),
  );

test('the requests of any second are one more than the rate at most, whoever asks and when', () => {
  const asked = fc.record({ afterMs: fc.integer({ min: -50, max: 700 }), isInLine: fc.boolean() });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.array(asked, { maxLength: 300 }),
      (rate, all) => {
        const line = new Line();
        let nowMs = start;
        const sent: number[] = [];
        for (const { afterMs, isInLine } of all) {
          nowMs += afterMs;
          const { sends, atMs } = line.ask(nowMs, { ratePerSecond: rate, isInLine });
          expect(atMs).toBeGreaterThanOrEqual(nowMs);
          if (sends) sent.push(atMs);
        }
        expect(countMost(sent, 1_000)).toBeLessThanOrEqual(rate + 1);
      },
    ),
  );
});

/** Reports `count` deliveries at once, and asks again for each when its time comes, `lateMs` later. */
function deliver(count: number, { rate = 5, lateMs = (_atMs: number): number => 0 } = {}) {
  const line = new Line();
  const asks = Array.from({ length: count }, (_, id) => ({ id, atMs: start, isInLine: false }));
  const sent: { id: number; atMs: number }[] = [];
  let asked = 0;
  while (asks.length > 0) {
    asks.sort((a, b) => a.atMs - b.atMs || a.id - b.id);
    const [{ id, atMs: nowMs, isInLine }] = asks.splice(0, 1) as [(typeof asks)[number]];
    asked += 1;
    const { sends, atMs } = line.ask(nowMs, { ratePerSecond: rate, isInLine });
    if (sends) sent.push({ id, atMs });
    else asks.push({ id, atMs: Math.ceil(atMs) + lateMs(atMs), isInLine: true });
  }
  return { sent, asked };
}

test.each([1, 3, 5, 100])(
  'of a burst at %d a second each is sent in its turn, without a gap',
  (rate) => {
    const { sent, asked } = deliver(500, { rate });
    expect(sent.map(({ id }) => id)).toEqual(Array.from({ length: 500 }, (_, id) => id));
    for (const [index, { atMs }] of sent.entries()) {
      // A line's times are whole milliseconds.
      expect(Math.abs(atMs - start - (index * 1_000) / rate)).toBeLessThanOrEqual(2);
    }
    expect(asked).toBeLessThanOrEqual(2 * 500);
  },
);

test('calls that are late by up to 400 ms, now and then, leave no gap', () => {
  const { sent } = deliver(500, { rate: 10, lateMs: (atMs) => Math.floor(atMs * 7_919) % 401 });
  const times = sent.map(({ atMs }) => atMs).toSorted((a, b) => a - b);
  for (const [index, atMs] of times.entries()) {
    expect(Math.abs(atMs - start - index * 100)).toBeLessThanOrEqual(2);
  }
});

test('a line that is always late by 5 s still gets the whole rate', () => {
  const { sent, asked } = deliver(500, { rate: 10, lateMs: () => 5_000 });
  expect((sent.at(-1)?.atMs ?? 0) - start).toBeLessThan(50_000 + 5_000 + 2_000);
  expect(asked).toBeLessThanOrEqual(2 * 500);
});

test('after an outage those that come together are sent at the rate, and ask again once more', () => {
  // All times of a minute come at its end.
  const endsAt = start + 60_000;
  const lateMs = (atMs: number) => Math.max(0, endsAt - Math.ceil(atMs));
  const { sent, asked } = deliver(1_000, { rate: 10, lateMs });
  expect(sent).toHaveLength(1_000);
  expect(
    countMost(
      sent.map(({ atMs }) => atMs),
      1_000,
    ),
  ).toBeLessThanOrEqual(11);
  expect(asked).toBeLessThanOrEqual(3 * 1_000);
});

test('a request waits for a second in its process, and after one in the line for two', () => {
  const line = new Line();
  line.pace = { ratePerSecond: 5, sendsFromMs: start + 1_000, lineEndsMs: 0 };
  expect(line.ask(start)).toEqual({ atMs: start + 1_000, sends: true });
  expect(line.ask(start)).toEqual({ atMs: start + 800, sends: false });
  line.pace = { ratePerSecond: 5, sendsFromMs: start + 2_000, lineEndsMs: 0 };
  expect(line.ask(start, inLine)).toEqual({ atMs: start + 2_000, sends: true });
  expect(line.ask(start, inLine)).toEqual({ atMs: start + 1_800, sends: false });
});

test('where too many wait in the process, only what is sent immediately does not join the line', () => {
  const line = new Line();
  const full = { mayWait: false };
  line.pace = { ratePerSecond: 5, sendsFromMs: start, lineEndsMs: 0 };
  expect(line.ask(start, full)).toEqual({ atMs: start, sends: true });
  expect(line.ask(start + 199, full).sends).toBe(false);
  expect(line.ask(start + 199, { ...full, ...inLine }).sends).toBe(false);
  expect(line.ask(start + 200, { ...full, ...inLine }).sends).toBe(true);
});

test('who comes while others wait goes behind them', () => {
  const line = new Line();
  const pace = { ratePerSecond: 5, sendsFromMs: 0 };
  line.pace = { ...pace, lineEndsMs: start + 1_001 };
  expect(line.ask(start)).toEqual({ atMs: start + 601, sends: false });
  expect(line.ask(start, inLine)).toEqual({ atMs: start, sends: true });
  line.pace = { ...pace, lineEndsMs: start + 1_000 };
  expect(line.ask(start)).toEqual({ atMs: start, sends: true });
});

test('a changed rate begins a new line, and keeps the time since the last request', () => {
  const line = new Line();
  line.pace = { ratePerSecond: 1, sendsFromMs: start + 900, lineEndsMs: start + 3_600_000 };
  expect(line.ask(start, { ratePerSecond: 10 })).toEqual({ atMs: start + 900, sends: true });
  expect(line.ask(start, { ratePerSecond: 10 })).toEqual({ atMs: start + 1_000, sends: true });
});
