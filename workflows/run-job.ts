import { TypedSearchAttributes, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  continueAsNew,
  setCurrentDetails,
  sleep,
  startChild,
} from '@temporalio/workflow';
import { takeJobPage } from './activity-options.ts';
import { fairPriority } from '../lib/temporal/fair-priority.ts';
import { dispatchLimits } from '../lib/limits.ts';
import { type DeliveredPage, describePages } from '../lib/temporal/current-details.ts';
import type { JobPage, RunJobInput } from '../lib/temporal/job-messages.ts';
import { jobPageWorkflowId } from '../lib/temporal/names.ts';
import {
  appUidsAttribute,
  deliveryStateAttribute,
  eventIdsAttribute,
  webhookUidsAttribute,
} from '../lib/temporal/search-attributes.ts';
import { deliverEvents } from './deliver-events.ts';

const { idsPerSearchAttributeMax } = dispatchLimits;
// Each page is about 20 events of history; a new run begins long before Temporal's limit of 51,200.
const pagesPerRunMax = 200;

/** Takes the pages of a job, or of the retention, one by one; each page's `deliverEvents` outlives this workflow. */
export async function runJob(input: RunJobInput): Promise<{ pages: number }> {
  let { page = 1, cursor } = input;
  const pages: DeliveredPage[] = [];
  for (let count = 0; count < pagesPerRunMax; count += 1) {
    const pageInput = { ...input, page, cursor };
    // Nothing else sends the deliveries of a page, so a cancel waits until they are handed over.
    const taken = await CancellationScope.nonCancellable(() => takeAndDeliver(pageInput));
    if (taken.events.length > 0) {
      const deliveries = taken.events.flatMap(({ webhookUids }) => webhookUids).length;
      pages.push({ workflowId: jobPageWorkflowId(input.jobUid, page), deliveries });
    }
    setCurrentDetails(describePages(page, pages));
    if (taken.isLast) return { pages: page };
    cursor = taken.cursor;
    page += 1;
    if (taken.waitMs !== undefined && taken.waitMs > 0) await sleep(taken.waitMs);
  }
  return continueAsNew<typeof runJob>({ ...input, page, cursor });
}

async function takeAndDeliver(input: RunJobInput & { page: number }): Promise<JobPage> {
  const { jobUid, appUid, page, cursor } = input;
  const options = {
    summary: `page ${page}`,
    ...(appUid === undefined ? {} : fairPriority(appUid)),
  };
  const taken = await takeJobPage.executeWithOptions(options, [{ jobUid, appUid, page, cursor }]);
  if (taken.events.length > 0) await deliverPage(input, taken.events);
  return taken;
}

async function deliverPage(
  { jobUid, appUid = '', page }: RunJobInput & { page: number },
  events: JobPage['events'],
): Promise<void> {
  const webhookUids = [...new Set(events.flatMap((event) => event.webhookUids))];
  const eventIds = events.map((event) => event.eventId);
  const to = webhookUids.length === 1 ? webhookUids[0] : `${webhookUids.length} webhooks`;
  const started = startChild(deliverEvents, {
    workflowId: jobPageWorkflowId(jobUid, page),
    workflowTaskTimeout: dispatchLimits.workflowTaskTimeoutMs,
    parentClosePolicy: ParentClosePolicy.ABANDON,
    // Cancelling the job does not stop deliveries already handed over.
    cancellationType: ChildWorkflowCancellationType.ABANDON,
    args: [{ jobUid, events: events.map((event) => ({ appUid, ...event })) }],
    staticSummary: `${events.length} again → ${to}`,
    typedSearchAttributes: new TypedSearchAttributes([
      { key: appUidsAttribute, value: appUid },
      { key: deliveryStateAttribute, value: 'delivering' },
      { key: eventIdsAttribute, value: eventIds.slice(0, idsPerSearchAttributeMax) },
      { key: webhookUidsAttribute, value: webhookUids.slice(0, idsPerSearchAttributeMax) },
    ]),
  });
  try {
    await started;
  } catch (error) {
    // An earlier run of this job started it, and it is still running.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
