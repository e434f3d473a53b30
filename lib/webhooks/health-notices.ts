// The notices `delivery.exhausted` and `webhook.recovered`.
import { minuteMs } from '../platform/duration.ts';
import type { Store } from '../mongo/connect.ts';
import { inTransaction } from '../mongo/transaction.ts';
import { type Health, restartedClock } from './next-notice.ts';
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

/**
 * Reports that a failing webhook has recovered; returns whether it did. A paused one, which an attempt in flight may find,
 * does not count: the first success after the resume reports it.
 */
export async function reportRecovered(
  store: Store,
  { _id, appUid }: Health,
  { at: now, attempt: lastAttempt }: { at: Date; attempt: ReportedAttempt },
): Promise<boolean> {
  return inTransaction(store, async (session) => {
    const before = await store.webhooks.findOneAndUpdate(
      { _id, appUid, active: true, notified: { $ne: null } },
      { $set: restartedClock(null, null) },
      { returnDocument: 'before', session },
    );
    if (before === null) return false;
    const facts = { deactivatesAt: null, disabledReason: null, lastAttempt };
    const { failingSince } = before;
    const data = { ...describeWebhook(before), failingSince, ...facts };
    await recordNotice(store, { appUid, event: 'webhook.recovered', data, now }, session);
    return true;
  });
}
