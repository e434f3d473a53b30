// How often a delivery and the list of deliveries are refreshed.
import type { Delivery } from '@agent-herald/client';

const refreshMs: Readonly<Partial<Record<Delivery['state'], number>>> = {
  pending: 2_000,
  retrying: 2_000,
  held: 10_000,
};
const resentRefreshMs = 2_000;

/** Returns the interval. False for a settled delivery, unless a resend after that many attempts is about to start. */
export function refreshMsOf(
  delivery: Pick<Delivery, 'state' | 'attemptCount'> | undefined,
  resentAfter: number | null,
): number | false {
  if (delivery === undefined) return false;
  const { state, attemptCount } = delivery;
  return refreshMs[state] ?? (attemptCount === resentAfter ? resentRefreshMs : false);
}

const listRefreshMs = 10_000;
const pendingRefreshMs = 2_000;

/** Returns the interval of a list. Events announce new deliveries, but nothing announces their outcomes. */
export function listRefreshMsOf(rows: readonly Pick<Delivery, 'state'>[]): number {
  return rows.some(({ state }) => state === 'pending') ? pendingRefreshMs : listRefreshMs;
}

export type PauseReason = 'person' | 'selection' | 'older';

interface Reading {
  isPausedByPerson: boolean;
  selectedCount: number;
  pageCount: number;
}

/** Returns why a list does not follow. Null if it does. */
export function pauseReasonOf(reading: Reading): PauseReason | null {
  if (reading.isPausedByPerson) return 'person';
  if (reading.selectedCount > 0) return 'selection';
  return reading.pageCount > 1 ? 'older' : null;
}
