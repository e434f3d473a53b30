// GET …/replays and GET …/webhooks/{webhookUid}/replays: replays of the application or of one webhook, newest first.
import type { ReplayJob } from '../../lib/model/job.ts';
import { readPage } from '../../lib/mongo/paging.ts';
import { listHandler } from '../http/list-handler.ts';
import { findWebhook } from '../webhooks/webhook-fields.ts';
import { presentReplay, replaySchema } from './present-replay.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

const facts: Operation = {
  id: 'listReplays',
  summary: 'List replays',
  description: 'The list is ordered from newest to oldest.',
  answers: { 200: pageOf(replaySchema) },
};

export const listReplays = operation(
  facts,
  listHandler({}, async ({ appUid, params, page }, { store }) => {
    const { webhookUid } = params;
    if (webhookUid !== undefined) await findWebhook(store, { _id: webhookUid, appUid });
    const ofWebhook = webhookUid === undefined ? {} : { webhookUid };
    const wanted = { appUid, kind: 'replay', ...ofWebhook } as const;
    const hint = webhookUid === undefined ? 'app' : 'webhook';
    const { items, lastUid } = await readPage(store.jobs, wanted, { ...page, hint });
    return { data: items.map((item) => presentReplay(item as ReplayJob)), lastUid };
  }),
);
