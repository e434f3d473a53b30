// GET …/replays/{replayUid} and GET …/webhooks/{webhookUid}/replays/{replayUid}: the progress of a replay.
import { AppError } from '../../lib/platform/errors.ts';
import { countOutcomes } from '../../lib/history/job-outcomes.ts';
import type { ReplayJob } from '../../lib/model/job.ts';
import type { ApiContext } from '../context.ts';
import type { ApiRequest, Handler } from '../route.ts';
import { findWebhook } from '../webhooks/webhook-fields.ts';
import { presentReplay, replayDetailSchema } from './present-replay.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'getReplay',
  summary: 'Get a replay and its progress',
  answers: { 200: { description: 'The replay', schema: replayDetailSchema } },
};

export const getReplay: Handler = operation(facts, async (request, context) => {
  const replay = await findReplay(request, context);
  const outcomes = await countOutcomes(context.store, replay._id);
  return { status: 200, body: { ...presentReplay(replay), outcomes } };
});

/** Reads the replay in the path; with a webhook, only one of that existing webhook. Throws `not_found`. */
export async function findReplay(
  { appUid, params }: Pick<ApiRequest, 'appUid' | 'params'>,
  { store }: ApiContext,
): Promise<ReplayJob> {
  const { replayUid = '', webhookUid } = params;
  if (webhookUid !== undefined) await findWebhook(store, { _id: webhookUid, appUid });
  const replay = await store.jobs.findOne({ _id: replayUid, appUid });
  if (replay?.kind === 'replay' && replay.webhookUid === (webhookUid ?? replay.webhookUid)) {
    return replay;
  }
  throw new AppError('not_found', 'there is no such replay');
}
