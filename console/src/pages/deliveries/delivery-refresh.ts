// How often the page of a delivery is refreshed.
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
