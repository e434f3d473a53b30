// The words for where a delivery stands, the same in workflow, database, API and log.

/** Where a delivery stands (docs/ARCHITECTURE.md, "States of a delivery"). */
export const deliveryStates = [
  'pending',
  'delivered',
  'retrying',
  'exhausted',
  'held',
  'cancelled',
  'blocked',
] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** The states that only a resend or replay leads out of. */
export const settledStates = ['delivered', 'exhausted', 'cancelled', 'blocked'] as const;

/** The states of a delivery of which something is still to come. */
export const openStates = ['pending', 'retrying', 'held'] as const;

/** Tells whether something is still to come of a delivery; else it is settled. */
export function isOpen(state: DeliveryState): boolean {
  return (openStates as readonly DeliveryState[]).includes(state);
}
