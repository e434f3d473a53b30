// GET …/webhooks/{webhookUid}/replays: the replays of a webhook, newest first.
import type { ReplayDocument } from '../../lib/model/redelivery.ts';
import { readPage } from '../../lib/store/paging.ts';
import { listHandler } from '../http/list-handler.ts';
import { noSuchWebhook } from '../webhooks/webhook-fields.ts';
import { presentReplay } from './present-replay.ts';

/** Gives a page of replays. Throws `not_found`. */
export const listReplays = listHandler({}, async ({ appUid, params, page }, { store }) => {
  const webhookUid = params['webhookUid'] ?? '';
  if ((await store.webhooks.findOne({ _id: webhookUid, appUid })) === null) throw noSuchWebhook();
  // Only replays name one webhook.
  const { items, lastUid } = await readPage(store.redeliveries, { appUid, webhookUid }, page);
  return { data: items.map((item) => presentReplay(item as ReplayDocument)), lastUid };
});
