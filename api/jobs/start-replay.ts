import type { ClientSession } from 'mongodb';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { toStart } from '../../lib/deliveries/jobs.ts';
import { countReplay } from '../../lib/deliveries/replay-page.ts';
import type { ReplayJob } from '../../lib/model/job.ts';
import type { KnownWebhook } from '../../lib/model/webhook.ts';
import { runOnce } from '../../lib/mongo/idempotency.ts';
import type { ApiContext } from '../context.ts';
import type { ApiAnswer, ApiRequest } from '../router.ts';
import { presentReplay } from './present-replay.ts';

interface Wanted {
  replay: ReplayJob;
  /** Throws where there is no such webhook. */
  findWebhooks: (session?: ClientSession) => Promise<readonly KnownWebhook[]>;
}

/** Starts a replay to webhooks, or counts it in a dry run. The answer names those that are paused, and hold it. */
export async function startReplay(
  request: ApiRequest<{ dryRun?: boolean }>,
  context: ApiContext,
  { replay: asked, findWebhooks }: Wanted,
): Promise<ApiAnswer> {
  const { appUid, body, caller } = request;
  const { store, secretBox } = context;
  const { _id: uid, createdAt: now } = asked;
  const once = { key: request.idempotencyKey(), secretBox, now };
  if (body.dryRun === true) {
    const counted = await countReplay(store, { ...asked, webhookUids: uids(await findWebhooks()) });
    return { status: 200, body: { dryRun: true, ...counted } };
  }
  let replay = asked;
  const { answer, repeated } = await runOnce(store, once, async (session) => {
    const webhooks = await findWebhooks(session);
    replay = { ...asked, webhookUids: uids(webhooks) };
    await store.jobs.insertOne(replay, { session });
    const target = { kind: 'replay', uid };
    const entry = { appUid, action: 'replay.created', target, details: detailsOf(replay) };
    await recordAudit(store, entry, { caller, now, session });
    const pausedWebhookUids = uids(webhooks.filter((webhook) => !webhook.active));
    return { ...presentReplay(replay), pausedWebhookUids };
  });
  if (!repeated) context.dispatcher.run(toStart(replay));
  const { webhookUid } = replay;
  const path = webhookUid === null ? '' : `/webhooks/${webhookUid}`;
  const location = `${request.appPath}${path}/replays/${answer.uid}`;
  return { status: 202, body: answer, headers: { location } };
}

function uids(webhooks: readonly KnownWebhook[]): string[] {
  return webhooks.map((webhook) => webhook._id);
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
    // Not which: the row outlives an erasure of the tenant.
    isOfTenant: externalTenantId !== null,
    perSecond,
  };
}
