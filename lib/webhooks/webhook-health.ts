import type { Filter } from 'mongodb';
import { deliveryLog } from '../platform/logger.ts';
import type { Attempt } from '../model/attempt.ts';
import { systemCaller } from '../model/audit-log.ts';
import type { DeliveryState } from '../model/delivery-state.ts';
import type { EventToAttempt } from '../model/event.ts';
import { testEventName } from '../model/event-name.ts';
import type { DisabledReason, Notified, StoredWebhook, WebhookDocument } from '../model/webhook.ts';
import { recordAudit } from '../access/audit-log.ts';
import { type Store } from '../mongo/connect.ts';
import { inTransaction } from '../mongo/transaction.ts';
import {
  type Failure,
  type Health,
  nextNotice,
  quietSince,
  restartedClock,
} from './next-notice.ts';
import { hasSucceededSince } from './has-succeeded-since.ts';
import { reportExhausted, reportRecovered } from './health-notices.ts';
import { describeWebhook, recordNotice, reportedAttempt, type ReportedAttempt } from './notices.ts';

export interface FailedAttempt extends Failure {
  attempt: ReportedAttempt;
}

interface HealthFacts {
  event: EventToAttempt;
  webhook: WebhookDocument;
  verdict: { state: DeliveryState; gone: boolean };
  attempt: Attempt;
  now: Date;
}

/** Records the effect of an attempt on its webhook's health; writes nothing for a healthy webhook that responded. */
export async function recordHealth(
  { store, deactivateAfterMs }: { store: Store; deactivateAfterMs: number },
  facts: HealthFacts,
): Promise<void> {
  const { webhook, verdict, now: at } = facts;
  const attempt = reportedAttempt(facts.event, facts.attempt);
  if (verdict.state === 'delivered') {
    if (await recordSuccess(store, webhook, { at, attempt })) log(facts, { notice: 'recovered' });
    return;
  }
  // A test loses nothing.
  const exhausted = verdict.state === 'exhausted' && attempt.event !== testEventName;
  const blocked = attempt.errorClass === 'blocked';
  const failure: FailedAttempt = { at, exhausted, blocked, deactivateAfterMs, attempt };
  if (!verdict.gone) {
    const notice = await recordFailure(store, webhook, failure);
    if (notice !== null) log(facts, { notice, disabledReason: 'failing' });
  } else if (await deactivateGoneWebhook(store, webhook, failure)) {
    log(facts, { notice: 'deactivated', disabledReason: 'gone' });
  }
  if (exhausted) await reportExhausted(store, webhook, failure);
}

function log(
  { event, webhook }: HealthFacts,
  { notice, disabledReason }: { notice: Notified | 'recovered'; disabledReason?: DisabledReason },
): void {
  const key = { appUid: webhook.appUid, webhookUid: webhook._id, eventId: event._id };
  const isPaused = notice === 'deactivated';
  if (notice === 'recovered') deliveryLog.info(key, 'webhook.recovered');
  else deliveryLog.warn({ ...key, ...(isPaused ? { disabledReason } : {}) }, `webhook.${notice}`);
}

/** Deactivates a webhook that responded 410, unless its URL has changed since. Returns whether this response did it. */
export async function deactivateGoneWebhook(
  store: Store,
  webhook: Health,
  failure: FailedAttempt,
): Promise<boolean> {
  const { _id, appUid } = webhook;
  await store.webhooks.updateOne({ _id, appUid }, { $inc: { exhaustedUnreported: 1 } });
  const written = { notified: 'deactivated', disabledReason: 'gone' } as const;
  return notify(store, webhook, { still: { url: webhook.url }, written, failure });
}

/** Updates the failure clock, records the notice that is due, and returns it. */
export async function recordFailure(
  store: Store,
  webhook: Health,
  failure: FailedAttempt,
): Promise<Notified | null> {
  const { notified } = webhook;
  const { at } = failure;
  const failingSince = webhook.failingSince ?? at;
  const filter = { _id: webhook._id, appUid: webhook.appUid };
  if (webhook.failingSince === null) {
    await store.webhooks.updateOne(
      { ...filter, failingSince: null },
      { $set: { failingSince: at } },
    );
  }
  if (failure.exhausted) {
    const counted = { $max: { lastExhaustedAt: at }, $inc: { exhaustedUnreported: 1 } };
    await store.webhooks.updateOne(filter, counted);
  }
  const notice = nextNotice(webhook, failure);
  if (notice === null) return null;
  // The update must fail if a success or a resume restarted the clock since the webhook was read.
  const still = { failingSince, ...(notice === 'deactivated' ? {} : { notified }) };
  const key = { appUid: webhook.appUid, webhookUid: webhook._id };
  if (await hasSucceededSince(store, key, quietSince(notice, failingSince, failure))) {
    if (notice !== 'deactivated') return null;
    const restarted = restartedClock(failure, notified);
    await store.webhooks.updateOne({ ...filter, failingSince, notified }, { $set: restarted });
    return null;
  }
  const disabledReason = notice === 'deactivated' ? 'failing' : null;
  const isRecorded = await notify(store, webhook, {
    still,
    written: { notified: notice, disabledReason },
    failure,
  });
  return isRecorded ? notice : null;
}

interface Change {
  still: Filter<StoredWebhook>;
  written: { notified: Notified; disabledReason: DisabledReason | null };
  failure: FailedAttempt;
}

// The filter lets only the first of concurrent attempts write.
async function notify(
  store: Store,
  { _id, appUid }: Health,
  { still, written, failure }: Change,
): Promise<boolean> {
  const { at: now, deactivateAfterMs, attempt: lastAttempt } = failure;
  const { notified, disabledReason } = written;
  const paused = { active: false, disabledReason, updatedAt: now };
  return inTransaction(store, async (session) => {
    const before = await store.webhooks.findOneAndUpdate(
      { _id, appUid, active: true, ...still },
      { $set: { notified, ...(disabledReason === null ? {} : paused) } },
      { returnDocument: 'before', session },
    );
    if (before === null) return false;
    const failingSince = before.failingSince ?? now;
    const endsAt = new Date(failingSince.getTime() + deactivateAfterMs);
    const deactivatesAt = disabledReason === null ? endsAt : null;
    const facts = { failingSince, deactivatesAt, disabledReason, lastAttempt };
    const data = { ...describeWebhook(before), ...facts };
    await recordNotice(store, { appUid, event: `webhook.${notified}`, data, now }, session);
    if (disabledReason === null) return true;
    const target = { kind: 'webhook', uid: _id };
    const entry = { appUid, action: 'webhook.deactivated', target, details: { disabledReason } };
    await recordAudit(store, entry, { caller: systemCaller, now, session });
    return true;
  });
}

/** Stops the failure clock. Returns whether it recorded that a failing webhook has recovered. */
export async function recordSuccess(
  store: Store,
  webhook: Health,
  success: Pick<FailedAttempt, 'at' | 'attempt'>,
): Promise<boolean> {
  if (webhook.notified !== null && (await reportRecovered(store, webhook, success))) return true;
  if (webhook.failingSince === null) return false;
  const filter = { _id: webhook._id, appUid: webhook.appUid };
  await store.webhooks.updateOne(filter, { $set: { failingSince: null, lastExhaustedAt: null } });
  return false;
}
