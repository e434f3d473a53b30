import { minuteMs } from '../platform/duration.ts';
import type { Store } from '../mongo/connect.ts';
import { inTransaction } from '../mongo/transaction.ts';
import type { Health } from './next-notice.ts';
import { describeWebhook, recordNotice, type ReportedAttempt } from './notices.ts';

const exhaustedEveryMs = minuteMs;

/** Reports an exhausted delivery, at most once a minute per webhook, and never for operations webhooks. */
export async function reportExhausted(
  store: Store,
  webhook: Health,
  { at: now, attempt }: { at: Date; attempt: ReportedAttempt },
): Promise<void> {
  const notice = { at: now, eventId: attempt.eventId, attempt: attempt.n };
  if (webhook.kind === 'operations' || !isExhaustedDue(webhook, notice)) return;
  const { _id, appUid, exhaustedNotice: last } = webhook;
  await inTransaction(store, async (session) => {
    const before = await store.webhooks.findOneAndUpdate(
      { _id, appUid, 'exhaustedNotice.at': last?.at ?? null },
      { $set: { exhaustedNotice: notice, exhaustedUnreported: 0 } },
      { returnDocument: 'before', session },
    );
    if (before === null) return;
    const exhaustedCount = Math.max(1, before.exhaustedUnreported);
    const data = { ...describeWebhook(before), exhaustedCount, lastAttempt: attempt };
    await recordNotice(store, { appUid, event: 'delivery.exhausted', data, now }, session);
  });
}

/** Checks whether to report an exhausted delivery: at most one a minute per webhook, and no attempt twice. */
export function isExhaustedDue(
  { exhaustedNotice: last }: Pick<Health, 'exhaustedNotice'>,
  { at, eventId, attempt }: { at: Date; eventId: string; attempt: number },
): boolean {
  if (last === null) return true;
  if (at.getTime() - last.at.getTime() < exhaustedEveryMs) return false;
  return last.eventId !== eventId || last.attempt !== attempt;
}
