// Why webhooks fail: their latest failed attempt, and what was changed shortly before.
import { forEachLimit } from '../concurrency/for-each-limit.ts';
import { statisticsLimits } from '../limits.ts';
import type { AuditDocument } from '../model/audit-log.ts';
import type { Attempt } from '../model/attempt.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import { deliveredEventNames } from '../model/event-name.ts';
import type { StoredWebhook } from '../model/webhook.ts';
import type { Store } from '../mongo/connect.ts';
import { idAt } from '../platform/ids.ts';

/** `previous_secret_ended`: the overlap of a rotation ended. */
export const changedParts = [
  'url',
  'headers',
  'auth',
  'tls',
  'secret',
  'secret_promoted',
  'previous_secret_ended',
] as const;

export interface WebhookChange {
  what: (typeof changedParts)[number];
  at: Date;
}

export interface Failure {
  webhookUid: string;
  failingSince: Date | null;
  /** Of the newest delivery that failed. Null if none is left. */
  latest: { eventId: string; attempt: Attempt } | null;
  /** The latest change in the hour before the failures began. */
  change: WebhookChange | null;
}

type Failing = Pick<StoredWebhook, '_id' | 'failingSince' | 'previousSecret'>;

const { failingShownMax, changeBeforeMsMax } = statisticsLimits;
const readsAtOnce = 10;
const auditRowsMax = 20;

/** Returns the failing and deactivated webhooks that failed last, at most 100, and how many more there are. */
export async function readFailures(
  store: Store,
  appUid: string,
): Promise<{ failures: Failure[]; moreCount: number }> {
  const failing = await store.webhooks
    .find({ appUid, $or: [{ failingSince: { $ne: null } }, { disabledReason: { $ne: null } }] })
    .project<Failing>({ failingSince: 1, 'previousSecret.until': 1 })
    .toArray();
  const newest = failing
    .toSorted((a, b) => Number(b.failingSince ?? 0) - Number(a.failingSince ?? 0))
    .slice(0, failingShownMax);
  const failures: Failure[] = [];
  await forEachLimit([...newest.entries()], readsAtOnce, async ([index, webhook]) => {
    const { _id: webhookUid, failingSince } = webhook;
    const [latest, change] = await Promise.all([
      readLatest(store, { appUid, webhookUid }),
      failingSince === null ? null : readChange(store, appUid, { ...webhook, failingSince }),
    ]);
    failures[index] = { webhookUid, failingSince, latest, change };
  });
  return { failures, moreCount: failing.length - newest.length };
}

type LatestFailed = Pick<DeliveryDocument, 'eventId' | 'attempts'>;

async function readLatest(
  store: Store,
  key: Pick<DeliveryDocument, 'appUid' | 'webhookUid'>,
): Promise<Failure['latest']> {
  const state = { $in: ['retrying', 'exhausted', 'blocked'] as const };
  const [found] = await store.deliveries
    // With all names, MongoDB merges ranges of the index and sorts nothing.
    .find({ ...key, state, event: { $in: [...deliveredEventNames] } }, { hint: 'webhookState' })
    .project<LatestFailed>({ eventId: 1, attempts: { $slice: -1 } })
    .sort({ _id: -1 })
    .limit(1)
    .toArray();
  const attempt = found?.attempts.at(-1);
  return found === undefined || attempt === undefined ? null : { eventId: found.eventId, attempt };
}

async function readChange(
  store: Store,
  appUid: string,
  { _id, failingSince, previousSecret }: Failing & { failingSince: Date },
): Promise<WebhookChange | null> {
  const from = new Date(failingSince.getTime() - changeBeforeMsMax);
  const until = new Date(failingSince.getTime() + 1);
  const rows = await store.auditLog
    .find(
      { appUid, 'target.uid': _id, _id: { $gte: idAt('aud', from), $lt: idAt('aud', until) } },
      { hint: 'target' },
    )
    .sort({ _id: -1 })
    .limit(auditRowsMax)
    .toArray();
  const ended = previousSecret?.until;
  const isEnded = ended !== undefined && ended >= from && ended < until;
  return latestChange(rows, isEnded ? ended : null);
}

/** Returns the latest of the changes that may make a receiver refuse requests. */
export function latestChange(
  rows: readonly Pick<AuditDocument, 'action' | 'details' | 'createdAt'>[],
  previousSecretEndedAt: Date | null,
): WebhookChange | null {
  const changes = rows.flatMap((row): WebhookChange[] => {
    const what = changedPart(row);
    return what === null ? [] : [{ what, at: row.createdAt }];
  });
  if (previousSecretEndedAt !== null)
    changes.push({ what: 'previous_secret_ended', at: previousSecretEndedAt });
  return changes.toSorted((a, b) => b.at.getTime() - a.at.getTime())[0] ?? null;
}

const partsByDetail = [
  ['urlOrigin', 'url'],
  ['authType', 'auth'],
  ['headerNames', 'headers'],
  ['tlsFingerprint256', 'tls'],
] as const;

function changedPart({
  action,
  details,
}: Pick<AuditDocument, 'action' | 'details'>): WebhookChange['what'] | null {
  if (action === 'webhook.secret_rotated') return 'secret';
  if (action === 'webhook.secret_promoted') return 'secret_promoted';
  if (action !== 'webhook.changed') return null;
  return partsByDetail.find(([name]) => Object.hasOwn(details, name))?.[1] ?? null;
}
