import type { ClientSession } from 'mongodb';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { toStart } from '../../lib/jobs/jobs.ts';
import { insertJob } from '../../lib/jobs/job-turns.ts';
import { countReplay } from '../../lib/jobs/replay/count-replay.ts';
import { seenDiscards } from '../../lib/model/discards.ts';
import type { ReplayJob } from '../../lib/model/job.ts';
import { knownFields, type KnownWebhook } from '../../lib/model/webhook.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { runOnce } from '../../lib/mongo/idempotency.ts';
import { within } from '../../lib/mongo/transaction.ts';
import { findKnownWebhooks } from '../../lib/webhooks/webhooks.ts';
import type { ApiContext } from '../context.ts';
import type { ApiAnswer, ApiRequest } from '../route.ts';
import { refuseOthers } from '../webhooks/named-webhooks.ts';
import { findWebhook } from '../webhooks/webhook-fields.ts';
import { presentReplay } from './present-replay.ts';

/**
 * Starts a replay to the webhook in the path, or else to those in the body or to all. A dry run only counts. The
 * response names the paused webhooks, which hold their deliveries. Throws `not_found`, `unknown_webhook_uids`, `limit_reached`.
 */
export async function startReplay(
  request: ApiRequest<{ dryRun?: boolean; webhookUids?: string[] }>,
  context: ApiContext,
  requested: ReplayJob,
): Promise<ApiAnswer> {
  const { appUid, body, caller } = request;
  const { store, secretBox } = context;
  const { _id: uid, createdAt: now, webhookUid } = requested;
  const find = (session?: ClientSession): Promise<KnownWebhook[]> =>
    findWebhooks(store, { appUid, webhookUid, webhookUids: body.webhookUids }, session);
  const once = { key: request.idempotencyKey(), secretBox, now };
  if (body.dryRun === true) {
    const counted = await countReplay(store, { ...requested, ...targetsOf(await find()) });
    const nextAttemptAt = counted.nextAttemptAt?.toISOString() ?? null;
    return { status: 200, body: { dryRun: true, ...counted, nextAttemptAt } };
  }
  let replay = requested;
  const { answer, repeated } = await runOnce(store, once, async (session) => {
    const webhooks = await find(session);
    replay = { ...requested, ...targetsOf(webhooks) };
    replay.state = await insertJob(store, replay, session);
    const target = { kind: 'replay', uid };
    const entry = { appUid, action: 'replay.created', target, details: detailsOf(replay) };
    await recordAudit(store, entry, { caller, now, session });
    const pausedWebhookUids = uids(webhooks.filter((webhook) => !webhook.active));
    return { ...presentReplay(replay), pausedWebhookUids };
  });
  if (!repeated && replay.state === 'running') context.starter.addJob(toStart(replay));
  const path = webhookUid === null ? '' : `/webhooks/${webhookUid}`;
  const location = `${request.appPath}${path}/replays/${answer.uid}`;
  return { status: 202, body: answer, headers: { location } };
}

interface WantedWebhooks {
  appUid: string;
  /** From the path. Null for a replay of the application. */
  webhookUid: string | null;
  /** From the body. */
  webhookUids: string[] | undefined;
}

async function findWebhooks(
  store: Store,
  { appUid, webhookUid, webhookUids }: WantedWebhooks,
  session?: ClientSession,
): Promise<KnownWebhook[]> {
  if (webhookUid !== null) return [await findWebhook(store, { _id: webhookUid, appUid }, session)];
  if (webhookUids !== undefined) {
    const known = await findKnownWebhooks(store, { appUid, webhookUids }, session);
    refuseOthers(webhookUids, known);
    return known;
  }
  return store.webhooks
    .find<KnownWebhook>({ appUid }, { projection: knownFields, ...within(session) })
    .sort({ _id: 1 })
    .toArray();
}

function uids(webhooks: readonly KnownWebhook[]): string[] {
  return webhooks.map((webhook) => webhook._id);
}

function targetsOf(webhooks: readonly KnownWebhook[]) {
  return { webhookUids: uids(webhooks), seenDiscards: seenDiscards(webhooks) };
}

function detailsOf(replay: ReplayJob): Record<string, unknown> {
  const { webhookUid, webhookUids, since, until, events, states, perSecond } = replay;
  const { cancelReasons, externalTenantId } = replay;
  return {
    webhookUid,
    ...(webhookUid === null ? { webhookCount: webhookUids.length } : {}),
    since,
    until,
    events,
    states,
    cancelReasons,
    // The tenant itself is omitted, because the row outlives an erasure of the tenant.
    isOfTenant: externalTenantId !== null,
    perSecond,
  };
}
