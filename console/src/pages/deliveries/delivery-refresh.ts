// How often the page of a delivery asks anew.
import type { Delivery } from '@agent-herald/client';

const refreshMs: Readonly<Partial<Record<Delivery['state'], number>>> = {
  pending: 2_000,
  retrying: 2_000,
  held: 10_000,
};
const resentRefreshMs = 2_000;

/** Returns the wait; false for what is settled, unless a resend after so many attempts is to begin. */
export function refreshMsOf(
  delivery: Pick<Delivery, 'state' | 'attemptCount'> | undefined,
  resentAfter: number | null,
): number | false {
  if (delivery === undefined) return false;
  const { state, attemptCount } = delivery;
  return refreshMs[state] ?? (attemptCount === resentAfter ? resentRefreshMs : false);
}
