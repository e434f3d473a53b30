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

/** Why a delivery was cancelled; `expired`: it was held for too long, `abandoned`: nobody attempted it for too long. */
export const cancelReasons = [
  'expired',
  'discarded',
  'unsubscribed',
  'webhook_deleted',
  'erased',
  'abandoned',
] as const;
export type CancelReason = (typeof cancelReasons)[number];

export const settledStates = ['delivered', 'exhausted', 'cancelled', 'blocked'] as const;

export const openStates = ['pending', 'retrying', 'held'] as const;

export function isOpen(state: DeliveryState): boolean {
  return (openStates as readonly DeliveryState[]).includes(state);
}
