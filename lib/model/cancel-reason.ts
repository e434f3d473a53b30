/** `expired`: held for too long. `abandoned`: not attempted for too long. `skipped`: cancelled alone, on request. */
export const cancelReasons = [
  'expired',
  'discarded',
  'skipped',
  'unsubscribed',
  'webhook_deleted',
  'erased',
  'abandoned',
] as const;
export type CancelReason = (typeof cancelReasons)[number];

/** Reasons that only time caused. All others are deliberate acts of a person, or changes of the webhook. */
export const lostReasons = ['expired', 'abandoned'] as const satisfies readonly CancelReason[];

/** Reasons after which a delivery can still be sent, because its payload and webhook still exist. */
export const sendableReasons = [
  ...lostReasons,
  'discarded',
  'skipped',
  'unsubscribed',
] as const satisfies readonly CancelReason[];
export type SendableReason = (typeof sendableReasons)[number];

/** Checks whether a delivery was cancelled on purpose, so that it is sent again only if a request names it. */
export function isDropped({ cancelReason }: { cancelReason: CancelReason | null }): boolean {
  const lost: readonly CancelReason[] = lostReasons;
  return cancelReason !== null && !lost.includes(cancelReason);
}
