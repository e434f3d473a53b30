// GET …/replays and GET …/webhooks/{webhookUid}/replays: replays of the application, or of one webhook, newest first.
import type { ReplayJob } from '../../lib/model/job.ts';
import { readPage } from '../../lib/mongo/paging.ts';
import { listHandler } from '../http/list-handler.ts';
import { findWebhook } from '../webhooks/webhook-fields.ts';
import { presentReplay } from './present-replay.ts';

export const listReplays = listHandler({}, async ({ appUid, params, page }, { store }) => {
  const { webhookUid } = params;
  if (webhookUid !== undefined) await findWebhook(store, { _id: webhookUid, appUid });
  const ofWebhook = webhookUid === undefined ? {} : { webhookUid };
  const wanted = { appUid, kind: 'replay', ...ofWebhook } as const;
  const hint = webhookUid === undefined ? 'app' : 'webhook';
  const { items, lastUid } = await readPage(store.jobs, wanted, { ...page, hint });
  return { data: items.map((item) => presentReplay(item as ReplayJob)), lastUid };
});
