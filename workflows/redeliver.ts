// The workflow that sends again: what a webhook held, one event, or the events of a time.
import { TypedSearchAttributes } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  continueAsNew,
  patched,
  sleep,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import { idsPerSearchAttributeMax } from '../lib/temporal/names.ts';
import { redeliverPageEveryMs } from '../lib/temporal/messages.ts';
import type { RedeliverInput, RedeliverPage } from '../lib/temporal/messages.ts';
import {
  appUidAttribute,
  deliveryStateAttribute,
  eventIdsAttribute,
  webhookUidsAttribute,
} from '../lib/temporal/search-attributes.ts';
import { takeRedeliverPage } from './activity-options.ts';
import { deliverEvents } from './deliver-events.ts';

// Each page is some 20 events of history; a new run begins long before Temporal's limit of 51,200.
const pagesPerRunMax = 200;

/**
 * Hands deliveries on, a page a second, oldest first, each page as a `deliverEvents` of its own,
 * which outlives this workflow. Ends when nothing is left, when it was cancelled, or when the webhook
 * was paused or resumed again. Gives how many it handed on.
 */
export async function redeliver(input: RedeliverInput): Promise<{ released: number }> {
  let { after, released } = input;
  const areWhole = patched('whole-pages');
  for (let count = 0; count < pagesPerRunMax; count += 1) {
    const place = { ...input, after, released };
    // What a page has taken nobody else carries, so a cancel waits until it is handed on.
    const page = await (areWhole
      ? CancellationScope.nonCancellable(() => takeAndDeliver(place))
      : takeAndDeliver(place));
    after = page.after;
    released += page.events.reduce((sum, { webhookUids }) => sum + webhookUids.length, 0);
    if (page.isLast) return { released };
    await sleep(redeliverPageEveryMs);
  }
  return continueAsNew<typeof redeliver>({ ...input, after, released });
}

async function takeAndDeliver(input: RedeliverInput): Promise<RedeliverPage> {
  const page = await takeRedeliverPage(input);
  if (page.events.length > 0) await deliverPage(input, page);
  return page;
}

async function deliverPage(input: RedeliverInput, { events, after }: RedeliverPage): Promise<void> {
  const { appUid, source } = input;
  const webhookUids = [...new Set(events.flatMap((event) => event.webhookUids))];
  const uid = source.kind === 'redelivery' ? source.redeliveryUid : (source.releaseUid ?? null);
  const redelivery = uid === null ? {} : { redeliveryUid: uid };
  await startChild(deliverEvents, {
    workflowId: `${workflowInfo().workflowId}/${after}`,
    parentClosePolicy: ParentClosePolicy.ABANDON,
    // What was handed on stays so when an operator cancels the rest.
    cancellationType: ChildWorkflowCancellationType.ABANDON,
    args: [{ appUid, ...redelivery, events }],
    staticSummary: `${events.length} again → ${webhookUids.length === 1 ? webhookUids[0] : `${webhookUids.length} webhooks`}`,
    typedSearchAttributes: new TypedSearchAttributes([
      { key: appUidAttribute, value: appUid },
      { key: deliveryStateAttribute, value: 'delivering' },
      {
        key: eventIdsAttribute,
        value: events.slice(0, idsPerSearchAttributeMax).map((event) => event.eventId),
      },
      { key: webhookUidsAttribute, value: webhookUids.slice(0, idsPerSearchAttributeMax) },
    ]),
  });
}
