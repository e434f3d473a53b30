// GET …/webhooks/{webhookUid}/replays: the replays of a webhook, newest first.
import type { ReplayDocument } from '../../lib/store/redeliveries.ts';
import { readPage } from '../../lib/store/paging.ts';
import { cursorAfter, readPageQuery } from '../http/page-query.ts';
import type { Handler } from '../http/router.ts';
import { noSuchWebhook } from '../webhooks/webhook-fields.ts';
import { presentReplay } from './present-replay.ts';

/** Gives a page of replays. Throws `not_found`. */
export const listReplays: Handler = async ({ appUid, params, query }, { store }) => {
  const webhookUid = params['webhookUid'] ?? '';
  const request = readPageQuery(query);
  if ((await store.webhooks.findOne({ _id: webhookUid, appUid })) === null) throw noSuchWebhook();
  // Only replays name one webhook.
  const page = await readPage(store.redeliveries, { appUid, webhookUid }, request);
  const data = page.items.map((item) => presentReplay(item as ReplayDocument));
  return { status: 200, body: { data, nextCursor: cursorAfter(page.lastUid) } };
};
