// PATCH …/webhooks/{webhookUid}: changes, pauses or resumes a webhook.
import { AppError } from '../../lib/platform/errors.ts';
import { timeOfId } from '../../lib/platform/ids.ts';
import type { StoredWebhook } from '../../lib/model/webhook.ts';
import { recordAudit } from '../../lib/access/audit-log.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import { differs } from '../../lib/mongo/differs.ts';
import { restartedClock } from '../../lib/webhooks/next-notice.ts';
import { newRelease, toStart } from '../../lib/jobs/jobs.ts';
import type { ApiContext } from '../context.ts';
import type { ApiRequest, Handler } from '../route.ts';
import { invalidRequest } from '../http/validate.ts';
import { checkCarrier, checkMove } from './credential-fields.ts';
import { requiresChallenge, sendsAnew } from './challenge-receiver.ts';
import { showWebhook, webhookSchema } from './present-webhook.ts';
import { previousDetails, webhookDetails, webhookEntry } from './webhook-audit.ts';
import { type ChangeWebhookBody, findWebhook, readFields } from './webhook-fields.ts';
import { checkTogether } from './webhook-kind.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'changeWebhook',
  summary: 'Change, pause or resume a webhook',
  example: { active: true, onResume: 'deliver' },
  answers: { 200: { description: 'The webhook', schema: webhookSchema } },
  problems: ['conflict', 'invalid_webhook_url', 'challenge_failed'],
};

/**
 * Writes nothing if no field changes. The job of a resume is committed with the change, so that the relay can start it.
 * Throws `not_found`, `invalid_webhook_url`, `invalid_request`, `challenge_failed`, or `conflict` for a discard without
 * a pause and for a change of the URL during its challenge.
 */
export const changeWebhook: Handler<ChangeWebhookBody> = operation(
  facts,
  async (request, context) => {
    const { appUid, params, body, caller } = request;
    const { store } = context;
    const now = context.clock.now();
    const filter = { _id: params['webhookUid'] ?? '', appUid };
    checkResume(body);
    const discards = body.onResume === 'discard';
    const release = newRelease({ appUid, webhookUid: filter._id }, now);
    const changed = (before: StoredWebhook) => readChanges(context, body, before);
    const proof = await proveControl(context, request, changed);
    const { webhook, resumed } = await inTransaction(store, async (session) => {
      const before = await findWebhook(store, filter, session);
      const { written, fields } = changed(before);
      refuseUnproven(proof, before, { ...before, ...fields });
      const resumes = body.active === true && !before.active;
      if (!resumes && !differs(before, fields)) return { webhook: before, resumed: false };
      const discard = { discardCount: before.discardCount + 1, discardBefore: now };
      const resume = { releaseUid: release._id, ...(discards ? discard : {}) };
      const changes = { ...fields, ...(resumes ? resume : {}), updatedAt: now };
      if (resumes) await store.jobs.insertOne(release, { session });
      await store.webhooks.updateOne(filter, { $set: changes }, { session });
      const previous = previousDetails(body, before);
      const details = { ...webhookDetails(body, written), previous };
      const entry = webhookEntry(before, 'webhook.changed', details);
      await recordAudit(store, entry, { caller, now, session });
      return { webhook: { ...before, ...changes }, resumed: resumes };
    });
    if (resumed) context.starter.addJob(toStart(release));
    return { status: 200, body: await showWebhook(context, webhook) };
  },
);

function readChanges(context: ApiContext, body: ChangeWebhookBody, before: StoredWebhook) {
  const written = readFields(context, body, before);
  checkTogether({ ...before, ...written });
  checkMove(before, written);
  checkCarrier({ ...before, ...written });
  if (body.onResume === 'discard') refuseLateDiscard(before);
  return { written, fields: { ...written, ...forgiven(body, before) } };
}

interface Proof {
  isRequired: boolean;
  /** The URL whose receiver answered the challenge. */
  url: string | null;
}

// Before the transaction, which must not wait for a receiver.
async function proveControl(
  context: ApiContext,
  { appUid, params, body }: ApiRequest<ChangeWebhookBody>,
  changed: (before: StoredWebhook) => ReturnType<typeof readChanges>,
): Promise<Proof> {
  const { store } = context;
  const mayMatter = body.active === true || body.url !== undefined;
  const isRequired = mayMatter && (await requiresChallenge(store, appUid));
  if (!isRequired) return { isRequired, url: null };
  const before = await findWebhook(store, { _id: params['webhookUid'] ?? '', appUid });
  const after = { ...before, ...changed(before).fields };
  if (!sendsAnew(before, after)) return { isRequired, url: null };
  await context.challengeReceiver(after);
  return { isRequired, url: after.url };
}

// Another call may have changed the URL or paused the webhook since the challenge.
function refuseUnproven(proof: Proof, before: StoredWebhook, after: StoredWebhook): void {
  if (!proof.isRequired || proof.url === after.url || !sendsAnew(before, after)) return;
  const detail = 'the webhook was changed during the challenge of its receiver; try again';
  throw new AppError('conflict', detail);
}

function checkResume({ active, onResume }: ChangeWebhookBody): void {
  if (onResume === undefined || active === true) return;
  const detail = 'onResume applies only to a resume; send it with active: true';
  throw invalidRequest([{ pointer: '#/onResume', code: 'without_resume', detail }]);
}

// On an active webhook, a discard would drop retries that nobody paused. Only a repeat of the request that made the
// latest resume passes.
function refuseLateDiscard({ active, releaseUid, discardBefore }: StoredWebhook): void {
  if (!active) return;
  const resumedAt = releaseUid === null ? null : timeOfId(releaseUid);
  if (resumedAt !== null && resumedAt.getTime() === discardBefore?.getTime()) return;
  const detail = 'the webhook is active; pause it, then resume it with onResume discard';
  throw new AppError('conflict', detail);
}

// Setting `active` acknowledges the deactivation and restarts the time to fail. The webhook is still reported as
// failing until a delivery succeeds.
function forgiven(
  { active }: ChangeWebhookBody,
  { notified }: StoredWebhook,
): Partial<StoredWebhook> {
  if (active === undefined) return {};
  return { disabledReason: null, ...(active ? restartedClock(null, notified) : {}) };
}
