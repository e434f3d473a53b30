// GET …/webhooks/{webhookUid}/replays/{replayUid}: the progress of a replay.
import { AppError } from '../../lib/platform/errors.ts';
import type { ReplayJob } from '../../lib/model/job.ts';
import type { ApiContext } from '../context.ts';
import type { ApiRequest, Handler } from '../router.ts';
import { noSuchWebhook } from '../webhooks/webhook-fields.ts';
import { presentReplay } from './present-replay.ts';

export const getReplay: Handler = async (request, context) => ({
  status: 200,
  body: presentReplay(await findReplay(request, context)),
});

/** Reads the replay that the path names, of a webhook that still exists. Throws `not_found`. */
export async function findReplay(
  { appUid, params }: Pick<ApiRequest, 'appUid' | 'params'>,
  { store }: ApiContext,
): Promise<ReplayJob> {
  const { replayUid = '', webhookUid = '' } = params;
  const [webhook, replay] = await Promise.all([
    store.webhooks.findOne({ _id: webhookUid, appUid }, { projection: { _id: 1 } }),
    store.jobs.findOne({ _id: replayUid, appUid }),
  ]);
  if (webhook === null) throw noSuchWebhook();
  if (replay?.kind === 'replay' && replay.webhookUid === webhookUid) return replay;
  throw new AppError('not_found', 'there is no such replay');
}
