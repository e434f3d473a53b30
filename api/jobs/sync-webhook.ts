// POST …/webhooks/{webhookUid}/sync: sends the present state of the resources to a webhook.
import { recordAudit } from '../../lib/access/audit-log.ts';
import { insertJob } from '../../lib/jobs/job-turns.ts';
import { newJob } from '../../lib/jobs/jobs.ts';
import { countSync } from '../../lib/jobs/sync/count-sync.ts';
import { jobLimits, limits } from '../../lib/limits.ts';
import { seenDiscards } from '../../lib/model/discards.ts';
import type { Entity } from '../../lib/model/event-name.ts';
import { type JobToStart, noCounts, type SyncJob } from '../../lib/model/job.ts';
import type { WebhookDocument } from '../../lib/model/webhook.ts';
import { runOnce } from '../../lib/mongo/idempotency.ts';
import { AppError } from '../../lib/platform/errors.ts';
import { operation, type Operation } from '../http/operation.ts';
import { tenantField } from '../http/text-fields.ts';
import { validator } from '../http/validate.ts';
import type { ApiRequest, Handler } from '../route.ts';
import { entitiesField, findWebhook } from '../webhooks/webhook-fields.ts';
import { presentSync, syncAnswers } from './present-sync.ts';
import { type ReplayPeriod, replayPeriod } from './replay-fields.ts';

interface SyncFields extends Pick<ReplayPeriod, 'perSecond' | 'dryRun'> {
  entities?: Entity[];
  externalTenantIds?: string[];
}

export const syncWebhookBody = validator<SyncFields>({
  properties: {
    entities: {
      ...entitiesField,
      description: 'The entities to send. The default is the entities of the webhook.',
    },
    externalTenantIds: {
      type: 'array',
      minItems: 1,
      maxItems: limits.tenantsPerWebhookMax,
      uniqueItems: true,
      items: tenantField,
      description: 'The tenants whose resources are sent. The default is all tenants.',
    },
    perSecond: replayPeriod.perSecond,
    dryRun: replayPeriod.dryRun,
  },
});

const facts: Operation = {
  id: 'syncWebhook',
  summary: 'Send the present state to a webhook',
  description:
    'The sync sends each existing agent, context and context file once, as its `updated` event with the number of its latest change. Of a resource that is only reported, it sends the latest event that is kept. The settings of the webhook apply.',
  example: { entities: ['agent'], dryRun: true },
  answers: syncAnswers,
  problems: ['conflict', 'limit_reached'],
  takesIdempotencyKey: true,
};

/** Throws `not_found`, `limit_reached`, or `conflict` for a webhook of the kind `operations`. */
export const syncWebhook: Handler<SyncFields> = operation(facts, async (request, context) => {
  const { appUid, appPath, params, body, caller } = request;
  const { store, secretBox } = context;
  const now = context.clock.now();
  const wanted = { _id: params['webhookUid'] ?? '', appUid };
  if (body.dryRun === true) {
    const sync = newSync(request, await findWebhook(store, wanted), now);
    return { status: 200, body: { dryRun: true, ...(await countSync(store, sync)) } };
  }
  const once = { key: request.idempotencyKey(), secretBox, now };
  const { answer, repeated } = await runOnce(store, once, async (session) => {
    const webhook = await findWebhook(store, wanted, session);
    const sync = newSync(request, webhook, now);
    sync.state = await insertJob(store, sync, session);
    const target = { kind: 'sync', uid: sync._id };
    const entry = { appUid, action: 'sync.created', target, details: detailsOf(sync) };
    await recordAudit(store, entry, { caller, now, session });
    return { ...presentSync(sync), isPaused: !webhook.active };
  });
  const { uid, webhookUid, state } = answer;
  const job: JobToStart = { _id: uid, appUid, kind: 'sync', webhookUids: [webhookUid] };
  if (!repeated && state === 'running') context.starter.addJob(job);
  return { status: 202, body: answer, headers: { location: `${appPath}/syncs/${uid}` } };
});

function newSync(
  { appUid, body }: Pick<ApiRequest<SyncFields>, 'appUid' | 'body'>,
  webhook: WebhookDocument,
  now: Date,
): SyncJob {
  if (webhook.kind === 'operations') {
    throw new AppError('conflict', 'a webhook of the kind operations gets no resources');
  }
  return {
    ...newJob(appUid, now),
    kind: 'sync',
    webhookUid: webhook._id,
    seenDiscards: seenDiscards([webhook]),
    entities: body.entities ?? webhook.entities,
    externalTenantIds: body.externalTenantIds ?? null,
    counts: noCounts,
    perSecond: body.perSecond ?? jobLimits.releasedPerSecondDefault,
  };
}

function detailsOf({ webhookUid, entities: synced, externalTenantIds, perSecond }: SyncJob) {
  // The tenants themselves are omitted, because the row outlives an erasure of a tenant.
  return {
    webhookUid,
    entities: synced,
    tenantCount: externalTenantIds?.length ?? null,
    perSecond,
  };
}
