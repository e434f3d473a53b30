// Orders discards relative to events and jobs: a webhook counts its discards, and its records store that count.
import type { WebhookDocument } from './webhook.ts';

/** The discard count of a webhook when an event or a job for it was recorded; left out while it was 0. */
export interface SeenDiscards {
  webhookUid: string;
  count: number;
}

/** Returns the discard counts to record for these webhooks. */
export function seenDiscards(
  webhooks: readonly Pick<WebhookDocument, '_id' | 'discardCount'>[],
): SeenDiscards[] {
  return webhooks.flatMap(({ _id: webhookUid, discardCount }) =>
    discardCount === 0 ? [] : [{ webhookUid, count: discardCount }],
  );
}

/** Checks whether a webhook was discarded after its count was recorded. */
export function isDiscardedSince(
  seen: readonly SeenDiscards[],
  { _id, discardCount }: Pick<WebhookDocument, '_id' | 'discardCount'>,
): boolean {
  return (discardCountOf(seen, _id) ?? 0) < discardCount;
}

/** Returns the recorded discard count of a webhook; undefined while it was 0. */
export function discardCountOf(
  seen: readonly SeenDiscards[] | undefined,
  webhookUid: string,
): number | undefined {
  return seen?.find((each) => each.webhookUid === webhookUid)?.count;
}
