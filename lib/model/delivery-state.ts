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

/** Time alone cancelled these deliveries. A person, or a change of the webhook, cancelled all others on purpose. */
export const lostReasons = ['expired', 'abandoned'] as const satisfies readonly CancelReason[];

/** Reasons of deliveries that can still be sent: the payload and the webhook are still there. */
export const sendableReasons = [
  ...lostReasons,
  'discarded',
  'unsubscribed',
] as const satisfies readonly CancelReason[];
export type SendableReason = (typeof sendableReasons)[number];

/** Checks whether a delivery was cancelled on purpose: it is sent again only where a request names it. */
export function isDropped({ cancelReason }: { cancelReason: CancelReason | null }): boolean {
  const lost: readonly CancelReason[] = lostReasons;
  return cancelReason !== null && !lost.includes(cancelReason);
}

export const settledStates = ['delivered', 'exhausted', 'cancelled', 'blocked'] as const;

export const openStates = ['pending', 'retrying', 'held'] as const;

export function isOpen(state: DeliveryState): boolean {
  return (openStates as readonly DeliveryState[]).includes(state);
}
