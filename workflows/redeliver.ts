// The workflow that sends what a webhook held while it was paused, oldest first, at a bounded rate.
import { TypedSearchAttributes } from '@temporalio/common';
import { ParentClosePolicy, continueAsNew, sleep, startChild } from '@temporalio/workflow';
import { idsPerSearchAttributeMax } from '../lib/temporal/names.ts';
import type { HeldPage, RedeliverInput } from '../lib/temporal/messages.ts';
import {
  appUidAttribute,
  deliveryStateAttribute,
  eventIdsAttribute,
  webhookUidsAttribute,
} from '../lib/temporal/search-attributes.ts';
import { discardHeldDeliveries, findHeldDeliveries } from './activity-options.ts';
import { deliverEvents } from './deliver-events.ts';

// Each page is some 20 events of history; a new run begins long before Temporal's limit of 51,200.
const pagesPerRunMax = 200;

/** What became of the held deliveries. */
export interface Released {
  released: number;
  discarded: number;
}

/**
 * Releases the held deliveries of a resumed webhook, a page a second, each page as a `deliverEvents`
 * of its own, which outlives this workflow. Ends when no more are held or the webhook is paused
 * again. A resume that discards drops them all instead.
 */
export async function redeliver(input: RedeliverInput): Promise<Released> {
  if (input.onResume === 'discard')
    return { released: 0, discarded: await discardHeldDeliveries(input) };
  let { after, released } = input;
  for (let page = 0; page < pagesPerRunMax; page += 1) {
    const held = await findHeldDeliveries({ ...input, after });
    if (held.eventIds.length === 0) return { released, discarded: 0 };
    await deliverPage(input, held);
    after = held.last;
    released += held.eventIds.length;
    await sleep('1 second');
  }
  return continueAsNew<typeof redeliver>({ ...input, after, released });
}

async function deliverPage(input: RedeliverInput, { eventIds, last }: HeldPage): Promise<void> {
  const { appUid, webhookUid } = input;
  await startChild(deliverEvents, {
    workflowId: `release/${webhookUid}/${last}`,
    // A page that an earlier resume released, and that was held again, is released again.
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    parentClosePolicy: ParentClosePolicy.ABANDON,
    args: [{ appUid, events: eventIds.map((eventId) => ({ eventId, webhookUids: [webhookUid] })) }],
    staticSummary: `${eventIds.length} held events → ${webhookUid}`,
    typedSearchAttributes: new TypedSearchAttributes([
      { key: appUidAttribute, value: appUid },
      { key: deliveryStateAttribute, value: 'delivering' },
      { key: eventIdsAttribute, value: eventIds.slice(0, idsPerSearchAttributeMax) },
      { key: webhookUidsAttribute, value: [webhookUid] },
    ]),
  });
}
