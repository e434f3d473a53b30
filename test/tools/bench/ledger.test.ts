// How the benchmark counts the deliveries of a run.
import { expect, test } from 'vitest';
import { Ledger } from '../../../dev/bench/ledger.ts';

const taken = false;
const refused = true;

/** A ledger of acknowledged calls, 1 s apart, with the webhooks that get each event. */
function ledgerOf(...hookUids: string[][]): Ledger {
  const ledger = new Ledger((call) => new Set(hookUids[call]));
  for (const call of hookUids.keys()) {
    ledger.open(1_000 * call);
    ledger.close(call, { atMs: 1_000 * call + 5, failure: null });
  }
  return ledger;
}

test('an event is complete when each of its webhooks has accepted it', () => {
  const ledger = ledgerOf(['a', 'b'], ['b']);
  ledger.receive([['b', 1, 1_010, taken]]);
  ledger.receive([['a', 0, 1_020, taken]]);
  expect([ledger.complete, ledger.backlog, ledger.missing]).toEqual([1, 1, 1]);
  ledger.receive([['b', 0, 1_030, taken]]);
  expect([ledger.complete, ledger.backlog, ledger.missing]).toEqual([2, 0, 0]);
});

test('an arrival at a webhook that does not get the event does not count', () => {
  const ledger = ledgerOf(['a'], ['b']);
  ledger.receive([['a', 1, 1_010, taken]]);
  ledger.receive([['a', 7, 1_010, taken]]);
  expect([ledger.deliveries, ledger.duplicates, ledger.missing]).toEqual([0, 0, 2]);
});

test('a refused delivery is missing until it arrives again and is accepted, which is not a duplicate', () => {
  const ledger = ledgerOf(['a']);
  ledger.receive([['a', 0, 10, refused]]);
  ledger.receive([['a', 0, 5_010, refused]]);
  expect([ledger.missing, ledger.isSettled(0), ledger.deliveries]).toEqual([1, false, 0]);
  ledger.receive([['a', 0, 10_010, taken]]);
  expect([ledger.missing, ledger.isSettled(0), ledger.deliveries]).toEqual([0, true, 1]);
  expect([ledger.refused, ledger.duplicates]).toEqual([2, 0]);
});

test('a delivery that arrives after an accepted one is a duplicate, whatever its response', () => {
  const ledger = ledgerOf(['a']);
  ledger.receive([['a', 0, 10, taken]]);
  ledger.receive([['a', 0, 20, taken]]);
  ledger.receive([['a', 0, 30, refused]]);
  expect([ledger.duplicates, ledger.refused, ledger.deliveries]).toEqual([2, 0, 1]);
});

test('the time to receipt is that of the first arrival; the span ends with the last arrival that is not a duplicate', () => {
  const ledger = ledgerOf(['a'], ['b']);
  ledger.receive([['a', 0, 10, refused]]);
  ledger.receive([['b', 1, 1_020, taken]]);
  ledger.receive([['a', 0, 5_010, taken]]);
  ledger.receive([['b', 1, 9_000, taken]]);
  expect(ledger.receiptMs()).toEqual([10, 20]);
  expect(ledger.receiptMs((hookUid) => hookUid === 'b')).toEqual([20]);
  expect(ledger.spanMs).toBe(5_010);
});
