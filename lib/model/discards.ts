// The order of discards among all else: a webhook counts them, and what is recorded for it keeps the count it saw.
import type { WebhookDocument } from './webhook.ts';

/** How many discards a webhook had had when an event or a job for it was recorded; left out while there were none. */
export interface SeenDiscards {
  webhookUid: string;
  count: number;
}

/** Returns what is to be recorded of these webhooks. */
export function seenDiscards(
  webhooks: readonly Pick<WebhookDocument, '_id' | 'discardCount'>[],
): SeenDiscards[] {
  return webhooks.flatMap(({ _id: webhookUid, discardCount = 0 }) =>
    discardCount === 0 ? [] : [{ webhookUid, count: discardCount }],
  );
}

/** Returns the count of a webhook that was recorded; undefined where there is none. */
export function discardCountOf(
  seen: readonly SeenDiscards[] | undefined,
  webhookUid: string,
): number | undefined {
  return seen?.find((each) => each.webhookUid === webhookUid)?.count;
}
